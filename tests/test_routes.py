"""Which HTTP requests carry a history to the Messages API."""

from __future__ import annotations

import pytest

from toolpair.integrations._routes import Route, endpoint_of_host, route_of

CLAUDE = b'{"anthropic_version": "bedrock-2023-05-31", "messages": []}'
VERTEX = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers"
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com/model"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.anthropic.com/v1/messages", Route("messages", "anthropic")),
        ("https://api.anthropic.com/v1/messages?beta=true", Route("messages", "anthropic")),
        ("/v1/messages/count_tokens", Route("count_tokens", "anthropic")),
        ("http://127.0.0.1:80/proxy/v1/messages/batches/", Route("batches", "anthropic")),
        ("https://api.deepseek.com/anthropic/v1/messages", Route("messages", "deepseek")),
        ("https://api.moonshot.ai/anthropic/v1/messages", Route("messages", "kimi")),
        ("https://bedrock-mantle.eu-1.api.aws/anthropic/v1/messages", Route("messages", "bedrock")),
        (f"{BEDROCK}/anthropic.claude-x%3A0/invoke", Route("messages", "bedrock")),
        (f"{BEDROCK}/arn%3Aaws/invoke-with-response-stream", Route("messages", "bedrock")),
        (f"{VERTEX}/anthropic/models/claude-x@1:rawPredict", Route("messages", "vertex")),
        (f"{VERTEX}/anthropic/models/claude-x:streamRawPredict", Route("messages", "vertex")),
        (f"{VERTEX}/anthropic/models/count-tokens:rawPredict", Route("count_tokens", "vertex")),
    ],
)
def test_where_histories_go(url: str, expected: Route) -> None:
    assert route_of("POST", url, CLAUDE) == expected
    assert route_of("post", url, CLAUDE) == expected
    assert route_of("GET", url, CLAUDE) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://api.anthropic.com/v1/messages/batches/msgbatch_1/cancel",
        "https://api.anthropic.com/v1/models",
        "https://api.openai.com/v1/threads/thread_1/messages",
        "https://api.openai.com/v1/chat/completions",
        f"{VERTEX}/google/models/gemini:rawPredict",
        "https://example.com/notv1/messages",
        "",
    ],
)
def test_where_none_go(url: str) -> None:
    assert route_of("POST", url, CLAUDE) is None


def test_another_maker_s_model_on_bedrock_is_none() -> None:
    url = f"{BEDROCK}/meta.llama/invoke"
    assert route_of("POST", url, b'{"prompt": "q"}') is None


@pytest.mark.parametrize("host", ["deepseek.com.example.org", "notdeepseek.com", "localhost", None])
def test_a_host_of_another_name_is_anthropic_s(host: str | None) -> None:
    assert endpoint_of_host(host) == "anthropic"
