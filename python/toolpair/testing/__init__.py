"""To test an agent's loop: a model that follows a script, a driver, and loops that are wrong.

```python
from toolpair.testing import ScriptedModel, calls, drive

model = ScriptedModel([calls(("get_weather", {"city": "Tokyo"})), "It is sunny."])
run = drive(my_loop, model, "How is the weather?", {"get_weather": lambda city: "sun"})
assert run.ok, run
```
"""

from toolpair.testing._driving import drive
from toolpair.testing._loops import (
    all_calls,
    first_call_only,
    one_result_short,
    results_out_of_turn,
    skip_on_exception,
    trim_inside_a_pair,
)
from toolpair.testing._script import ScriptError
from toolpair.testing._scripted import ScriptedModel, answer, ask_again, calls

__all__ = [
    "ScriptError",
    "ScriptedModel",
    "all_calls",
    "answer",
    "ask_again",
    "calls",
    "drive",
    "first_call_only",
    "one_result_short",
    "results_out_of_turn",
    "skip_on_exception",
    "trim_inside_a_pair",
]
