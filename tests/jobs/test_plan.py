# Which jobs follow from a lesson, and what their work hashes depend on.
# Lines, prose and display must not move a hash; code, tags that change execution and files must.
from __future__ import annotations

from runner.jobs.answers import Answers
from runner.jobs.digest import hash_job
from runner.jobs.plan import (
    Candidate,
    Setting,
    hash_task,
    list_cases,
    plan_record,
    plan_replay,
    plan_session,
    public_seed,
)
from runner.jobs.values import Job
from runner.judge.values import Outcome
from runner.lesson.parse import Origin, parse_lesson
from runner.lesson.values import Lesson

FRONT = "---\ntitle: T\nsummary: S\n---\n"
EXAMPLES = "```python {example}\nx = 1\n```\n\n```python {example}\nprint(x)\n```\n\nIt is `{=} x`.\n"
TASK = """Write it.

```yaml {task="t"}
cases: [{x: 1}]
random: 2
```

```python {inputs}
def inputs(rng, device):
    return {"x": 2}
```

```python {starter}
def f(x):
    return None
```

```python {checker}
def check(candidate, x):
    return {"v": candidate(x)}
```

```json {expected}
{"v": 1}
```

```python {reference}
def f(x):
    return x
```
"""
CPU = Setting("cpu", {})


def parse(body: str) -> Lesson:
    lesson, problems = parse_lesson((FRONT + body).encode(), Origin("lessons/p/01-x.md", "p", "x", 1))
    assert problems == ()
    return lesson


def session_hash(body: str, setting: Setting = CPU) -> str:
    return hash_job(plan_session(parse(body), "default", setting))


def test_prose_lines_and_display_do_not_move_a_session_hash() -> None:
    same = session_hash(EXAMPLES)

    assert session_hash("Some words.\n\n" + EXAMPLES) == same
    assert session_hash(EXAMPLES.replace("{example}", '{example title="A" hl_lines="1"}', 1)) == same


def test_code_files_device_and_values_move_a_session_hash() -> None:
    hashes = {
        session_hash(EXAMPLES),
        session_hash(EXAMPLES.replace("x = 1", "x = 2")),
        session_hash(EXAMPLES.replace("{=} x", "{=} x + 1")),
        session_hash(EXAMPLES.replace("{example}", '{example raises="ValueError"}', 1)),
        session_hash(EXAMPLES, Setting("cuda", {})),
        session_hash(EXAMPLES, Setting("cpu", {"masks.py": b"N = 1"})),
        session_hash(EXAMPLES, Setting("cpu", {"masks.py": b"N = 2"})),
    }

    assert len(hashes) == 7


def test_values_run_after_the_examples_above_them() -> None:
    job = plan_session(parse(EXAMPLES.replace("\n\n```", "\n\nNow `{=} x`.\n\n```", 1)), "default", CPU)

    assert job.work["steps"] == [{"example": 0}, {"value": "x"}, {"example": 1}, {"value": "x"}]


def test_torch_is_set_up_only_for_code_that_speaks_of_it() -> None:
    assert plan_session(parse(EXAMPLES), "default", CPU).work["torch"] is False
    assert plan_session(parse(EXAMPLES.replace("x = 1", "import torch")), "default", CPU).work["torch"] is True
    helper = Setting("cpu", {"masks.py": b"import torch"})
    assert plan_session(parse(EXAMPLES), "default", helper).work["torch"] is True


def test_a_task_hash_follows_its_fences_and_not_its_statement() -> None:
    same = hash_task(parse(TASK).tasks[0], CPU)

    assert hash_task(parse("Words.\n\n" + TASK.replace("Write it.", "Do write it.")).tasks[0], CPU) == same
    assert hash_task(parse(TASK.replace('return {"v"', 'return  {"v"')).tasks[0], CPU) != same


def test_unpublished_cases_come_from_the_seed() -> None:
    task = parse(TASK).tasks[0]
    seed = public_seed(hash_task(task, CPU))

    assert list_cases(task, seed) == [{"given": {"x": 1}}, {"random": seed}, {"random": (seed + 1) % 2**31}]
    assert 0 <= seed < 2**31


def test_a_replay_never_sees_the_candidate() -> None:
    lesson = parse(TASK)
    record = plan_record(lesson, lesson.tasks[0], Candidate("def f(x): return 9", "my.py", 1), CPU, 3)
    replay = plan_replay(lesson, lesson.tasks[0], {"cases": [{"report": {"v": 9}, "calls": [{"a": 1}]}]}, CPU, 3)

    assert "candidate" in record.work
    assert "candidate" not in replay.work
    assert "return 9" not in str(replay.work)
    assert replay.work["calls"] == [[{"a": 1}]]
    assert len(replay.work["cases"]) == 1


class CountingEngine:
    """Answers at once and counts; stands for any engine, since only the memory above it is looked at here."""

    slots = 1

    def __init__(self, outcome: Outcome) -> None:
        self.outcome, self.runs = outcome, 0

    def run(self, job: Job) -> Outcome:
        self.runs += 1
        return self.outcome

    def close(self) -> None:
        return


def ask_twice(outcome: Outcome, second: str) -> int:
    engine, answers = CountingEngine(outcome), Answers()
    for body in (EXAMPLES, second):
        answers.ask(plan_session(parse(body), "default", CPU), engine)
    return engine.runs


def test_an_answer_serves_the_same_work_again() -> None:
    fine = Outcome("ok", {"runs": []}, (), "", 0.1)
    failing = Outcome("ok", {"runs": [{"error": {"frames": [{"line": 6}]}}]}, (), "", 0.1)

    assert ask_twice(fine, EXAMPLES) == 1
    assert ask_twice(fine, "Words.\n\n" + EXAMPLES) == 1
    assert ask_twice(failing, EXAMPLES) == 1
    assert ask_twice(failing, "Words.\n\n" + EXAMPLES) == 2, "its lines have moved"
    assert ask_twice(Outcome("timeout", None, (), "", 9.0), EXAMPLES) == 2, "a timeout says nothing for good"
