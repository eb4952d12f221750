"""`client_model` with the real SDK, sync and async, against a server on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import anthropic
import pytest
from agents import ONE, TOOLS, TWO, asked
from histories import server_call, server_result

from toolpair import Run, arun_agent, check_tool_pairing, client_model, run_agent
from toolpair.testing import ScriptedModel

REQUEST = {"model": "claude-sonnet-5-5", "max_tokens": 1024, "tools": [{"name": "get_weather"}]}
TEXT = {"type": "text", "text": "Rain."}


def body_of(content: list[Any], reason: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


@contextlib.contextmanager
def server(*replies: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """A server that gives these replies, and then fails: its address, and what it was sent."""
    sent: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            is_in_order = len(sent) <= len(replies)
            body = json.dumps(replies[len(sent) - 1] if is_in_order else {}).encode()
            self.send_response(200 if is_in_order else 500)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}", sent
        http.shutdown()
        thread.join()


def run_sync(url: str, messages: list[Any], **options: Any) -> Run:
    with anthropic.Anthropic(base_url=url, api_key="none", max_retries=0) as client:
        return run_agent(client_model(client, **REQUEST), messages, TOOLS, **options)


def run_async(url: str, messages: list[Any], **options: Any) -> Run:
    async def main() -> Run:
        async with anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0) as client:
            return await arun_agent(client_model(client, **REQUEST), messages, TOOLS, **options)

    return asyncio.run(main())


CLIENTS = pytest.mark.parametrize("run_with", [run_sync, run_async])


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@CLIENTS
def test_two_calls_and_an_answer(run_with: Any) -> None:
    messages = asked()
    with server(body_of(TWO, "tool_use"), body_of([TEXT], "end_turn")) as (url, sent):
        run = run_with(url, messages, context=REQUEST)
    assert (run.end_reason, run.rounds, run.final_text) == ("finished", 2, "Rain.")
    assert [call.id for call in run.executed] == ["toolu_01", "toolu_02"]
    assert isinstance(messages[1]["content"][0], anthropic.types.ToolUseBlock)
    answers = [
        {"type": "tool_result", "tool_use_id": "toolu_01", "content": "rain in Tokyo"},
        {"type": "tool_result", "tool_use_id": "toolu_02", "content": "165.0"},
    ]
    assert [{**body, "messages": None} for body in sent] == [{**REQUEST, "messages": None}] * 2
    assert sent[0]["messages"] == asked()
    assert sent[1]["messages"][1:] == [
        {"role": "assistant", "content": TWO},
        {"role": "user", "content": answers},
    ]
    assert str(run).splitlines()[1] == 'assistant  calls get_weather {"city": "Tokyo"} [toolu_01]'
    assert check_tool_pairing(messages).ok


@CLIENTS
def test_stop_reasons_of_the_server(run_with: Any) -> None:
    cut, paused = body_of(ONE, "max_tokens"), body_of([server_call("srvtoolu_1")], "pause_turn")
    last = body_of([server_result("srvtoolu_1"), TEXT], "end_turn")
    messages = asked()
    with server(cut, paused, last) as (url, sent):
        run = run_with(url, messages)
    assert (run.end_reason, run.rounds, len(run.dropped)) == ("finished", 3, 1)
    assert run.role_sequence == ("user", "assistant", "user", "assistant", "assistant")
    assert sent[2]["messages"][3] == {"role": "assistant", "content": paused["content"]}


@CLIENTS
def test_a_refusal(run_with: Any) -> None:
    with server(body_of([], "refusal")) as (url, _):
        assert run_with(url, asked()).end_reason == "refused"


@CLIENTS
def test_an_error_of_the_server_goes_on_and_leaves_a_valid_list(run_with: Any) -> None:
    messages = asked()
    with (
        server(body_of(TWO, "tool_use")) as (url, sent),
        pytest.raises(anthropic.InternalServerError),
    ):
        run_with(url, messages)
    assert (len(sent), len(messages)) == (2, 3)
    assert check_tool_pairing(messages).ok


def test_any_client_of_that_shape_is_asked_with_the_rest_of_the_request() -> None:
    sent: list[Any] = []

    def create(**request: Any) -> str:
        sent.append(request)
        return "Hi."

    client = SimpleNamespace(messages=SimpleNamespace(create=create))
    messages = asked()
    assert run_agent(client_model(client, **REQUEST), messages, {}).final_text == "Hi."
    assert sent == [{**REQUEST, "messages": asked()}]


def test_a_scripted_models_client() -> None:
    model = ScriptedModel([ONE, "Done."], as_sdk=True)
    run = run_agent(client_model(model.client, **REQUEST), asked(), {"f": lambda: 1})
    assert (run.end_reason, run.final_text, len(model.requests)) == ("finished", "Done.", 2)
