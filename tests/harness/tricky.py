# Checkers that are hard to replay, each with what must come of it: a table for test_record_replay.
# A report: passes in both jobs. "error …": an error with this reason. Else: the check that must fail.
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

VECTOR: dict[str, Any] = {"x": {"tensor": [3.0, 1.0, 2.0]}}
MATRIX: dict[str, Any] = {"x": {"tensor": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}}
HEAD = "def f(x, *a, **k):\n"
CHECK = "def check(candidate, x):\n"


@dataclass(frozen=True, slots=True)
class Tricky:
    """A checker, a candidate that is its own reference, and the outcome."""

    name: str
    checker: str
    candidate: str
    outcome: dict[str, Any] | str
    case: dict[str, Any]
    inout: tuple[str, ...] = ("x", "p", "ops", "out")

    @property
    def work(self) -> dict[str, Any]:
        code = "import torch\n" + self.candidate
        return {
            "function": "f",
            "checker": self.checker,
            "inputs": None,
            "candidate": code,
            "reference": code,
            "cases": [{"given": self.case}],
            "seed": 3,
            "device": "cpu",
            "inout": list(self.inout),
        }


PLACE = {
    "path": "lessons/p/01-x.md",
    "candidate_path": "solution.py",
    "lines": {"checker": 100, "inputs": 200, "candidate": 1, "reference": 300},
}


def tricky(name: str, check: str, candidate: str, outcome: Any, case: dict[str, Any] = VECTOR, **more: Any) -> Tricky:
    checker = check if "def check" in check else CHECK + "".join(f"    {row}\n" for row in check.split("\n"))
    body = candidate if "def f" in candidate else HEAD + "".join(f"    {row}\n" for row in candidate.split("\n"))
    return Tricky(name, checker, body, outcome, case, **more)


BAD = "class Bad(ValueError): pass\n" + HEAD + "    raise Bad('no')\n"
BUFFER = "B = torch.zeros(3)\n" + HEAD

TRICKY = (
    tricky(
        "loop, fed back",
        "for _ in range(4): x = candidate(x)\nreturn {'v': rounded(x)}",
        "return x/2",
        {"v": [0.1875, 0.0625, 0.125]},
    ),
    tricky(
        "loop until converged",
        "n=0\nwhile x.abs().max() > .01: x = candidate(x); n+=1\nreturn {'n': n}",
        "return x/2",
        {"n": 9},
    ),
    tricky(
        "views x.t()",
        "a=candidate(x.t()); b=candidate(x[:, ::2]); c=candidate(x.expand(2,2,3))\n"
        "return {'a': a.tolist(),'b':b.tolist(),'c':c.tolist(),'x':x.tolist()}",
        "return x*2",
        {
            "a": [[2.0, 8.0], [4.0, 10.0], [6.0, 12.0]],
            "b": [[2.0, 6.0], [8.0, 12.0]],
            "c": [[[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]] * 2,
            "x": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        },
        MATRIX,
    ),
    tricky(
        "views, in place on x.t()",
        "a=candidate(x.t())\n"
        "return {'a': a.tolist(),'x':x.tolist(),'alias': a.data_ptr()==x.data_ptr(), 'str': a.stride()}",
        "return x.mul_(2)",
        {
            "a": [[2.0, 8.0], [4.0, 10.0], [6.0, 12.0]],
            "x": [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]],
            "alias": True,
            "str": [1, 3],
        },
        MATRIX,
    ),
    tricky(
        "randn inside check",
        "import random\nseen=[]\nfor n in (3,5):\n"
        "    z=torch.randn(n); y=candidate(z); seen.append(torch.equal(y, z+1)); seen.append(random.random() < 2)\n"
        "return {'v': seen, 'rest': torch.randn(2).tolist() == (torch.manual_seed(3), torch.randn(3), torch.randn(5), "
        "torch.randn(2))[3].tolist()}",
        "torch.manual_seed(0); torch.rand(3)\nimport random; random.random(); return x+1",
        {"v": [True, True, True, True], "rest": True},
    ),
    tricky(
        "dropout twice differ",
        "a=candidate(x.repeat(50)); b=candidate(x.repeat(50)); return {'differ': not torch.equal(a,b)}",
        "return torch.nn.functional.dropout(x)",
        {"differ": True},
    ),
    tricky(
        "expects ValueError",
        "try: candidate(x[:0]); r='none'\nexcept ValueError as e: r=str(e)\n"
        "return {'v': candidate(x).tolist(), 'empty': r}",
        "if not x.numel(): raise ValueError('empty')\nreturn x+1",
        {"v": [4.0, 2.0, 3.0], "empty": "empty"},
    ),
    tricky(
        "custom exception class",
        "try: candidate(x)\nexcept ValueError as e: return {'r': str(e)}",
        BAD,
        {"r": "no"},
    ),
    tricky(
        "custom exception, type name reported",
        "try: candidate(x)\nexcept ValueError as e: return {'r': type(e).__name__}",
        BAD,
        {"r": "ValueError"},
    ),
    tricky(
        "RuntimeError of torch",
        "try: candidate(x)\nexcept RuntimeError as e: return {'r': str(e)[:40]}",
        "return x @ x.reshape(1,3)",
        {"r": "mat1 and mat2 shapes cannot be multiplie"},
    ),
    tricky(
        "KeyError keeps its argument",
        "try: candidate(x)\nexcept KeyError as e: return {'r': str(e), 'a': list(e.args)}",
        "raise KeyError('k')",
        {"r": "'k'", "a": ["k"]},
    ),
    tricky(
        "torch's own class",
        "try: candidate(x)\nexcept torch.OutOfMemoryError as e: return {'r': str(e)}",
        "raise torch.OutOfMemoryError('oom')",
        {"r": "oom"},
    ),
    tricky(
        "mutates then raises",
        "try: candidate(x)\nexcept ValueError: pass\nreturn {'x': x.tolist()}",
        "x.zero_(); raise ValueError",
        {"x": [0.0, 0.0, 0.0]},
    ),
    tricky(
        "bare except swallows exit",
        "try: candidate(x)\nexcept: pass\nreturn {'ok': True}",
        "raise SystemExit(0)",
        "error your code raised SystemExit",
    ),
    tricky(
        "bare except swallows KeyboardInterrupt",
        "try: candidate(x)\nexcept: pass\nreturn {'ok': True}",
        "raise KeyboardInterrupt",
        "error your code raised KeyboardInterrupt",
    ),
    tricky(
        "returns its input",
        "y=candidate(x); y[0]=9; return {'x': x.tolist(), 'is': y is x, 'base': y.data_ptr()==x.data_ptr()}",
        "return x",
        {"x": [9.0, 1.0, 2.0], "is": True, "base": True},
    ),
    tricky(
        "returns a view of its input",
        "y=candidate(x); y[0]=9; return {'x': x.tolist(), 'is': y is x}",
        "return x[1:]",
        {"x": [3.0, 9.0, 2.0], "is": False},
    ),
    tricky(
        "hidden buffer, first result rewritten",
        "a=candidate(x); s=a.tolist(); b=candidate(x+1)\n"
        "return {'a': s, 'again': a.tolist(), 'same': a is b, 'ptr': a.data_ptr()==b.data_ptr()}",
        BUFFER + "    B.copy_(x); return B.view(3)\n",
        {"a": [3.0, 1.0, 2.0], "again": [4.0, 2.0, 3.0], "same": False, "ptr": True},
    ),
    tricky(
        "gives a buffer",
        "y=torch.full_like(x, float('nan'))\nwith count_allocations() as c: r=candidate(x, out=y)\n"
        "return {'is': r is y, 'y': y.tolist(), 'n': c.total}",
        "torch.add(x,1,out=k['out']); return k['out']",
        {"is": True, "y": [4.0, 2.0, 3.0], "n": 0},
    ),
    tricky(
        "counter round two calls and check's own operations",
        "with count_allocations() as c:\n    a=candidate(x)\n"
        "    with count_allocations() as d: b=candidate(a.clone())+1\nreturn {'c': c.total, 'd': d.total}",
        "return (x+1)*2",
        {"c": 6, "d": 4},
    ),
    tricky(
        "counter read while open",
        "with count_allocations() as c:\n    candidate(x); n=c.total; candidate(x)\nreturn {'n': n, 'c': c.total}",
        "return (x+1)*2",
        {"n": 2, "c": 4},
    ),
    tricky(
        "list argument changed",
        "def check(candidate, ops):\n  n=candidate(ops); return {'n': n, 'ops': ops}",
        "def f(ops):\n  n=len(ops); ops.append('x'); return n",
        {"n": 2, "ops": ["add", "mul", "x"]},
        {"ops": ["add", "mul"]},
    ),
    tricky(
        "dict of tensors, nested, updated",
        "p={'w': x, 'b': [x+1]}; candidate(p)\n"
        "return {'w': p['w'].tolist(), 'b': p['b'][0].tolist(), 'k': sorted(p), 'isx': p['w'] is x}",
        "def f(p):\n  p['w'].mul_(2); p['b'][0]=p['w']+5; p['new']=1; return p",
        {"w": [6.0, 2.0, 4.0], "b": [11.0, 7.0, 9.0], "k": ["b", "new", "w"], "isx": True},
    ),
    tricky(
        "NaN, None, text and -0.0 in a tuple",
        "a,b,c,d=candidate(x); return {'r': [repr(a), b, c, repr(d)]}",
        "return float('nan'), None, 'é', -0.0",
        {"r": ["nan", None, "é", "-0.0"]},
    ),
    tricky("returns None", "return {'v': rounded(candidate(x))}", "x+1", "error the checker raised TypeError"),
    tricky("returns a generator", "return {'v': list(candidate(x))}", "yield 1", "contract.same-type"),
    tricky(
        "returns a function", "return {'v': candidate(x)(x).tolist()}", "return lambda y: y+1", "contract.same-type"
    ),
    tricky(
        "returns a Tensor subclass",
        "return {'v': bool(candidate(x) == x)}",
        "class S(torch.Tensor):\n  def __eq__(s,o): return True\n" + HEAD + "    return x.as_subclass(S)\n",
        "contract.same-type",
    ),
    tricky(
        "passes a function",
        "return {'v': candidate(torch.relu, x).tolist()}",
        "def f(g, x): return g(x)",
        "error the checker breaks a rule: check gave the candidate an argument",
    ),
    tricky(
        "passes a Generator, and catches the refusal",
        "g=torch.Generator().manual_seed(1)\ntry: candidate(x, generator=g)\nexcept Exception: pass\nreturn {'v': 1}",
        "return x+torch.rand(3,generator=k['generator'])",
        "error the checker breaks a rule: check gave the candidate an argument",
    ),
    tricky(
        "vmap(candidate)",
        "return {'v': torch.vmap(candidate)(x).tolist()}",
        "return x+1",
        "error the checker breaks a rule: check gave",
        MATRIX,
    ),
    tricky(
        "backward through the result",
        "x.requires_grad_(); y=candidate(x); y.sum().backward(); return {'g': x.grad.tolist()}",
        "return x*3",
        "error the checker raised RuntimeError: element 0 of tensors does not require grad",
    ),
    tricky(
        "candidate sets x.grad",
        "x.requires_grad_(); candidate(x); return {'g': x.grad.tolist()}",
        "(x*3).sum().backward()",
        "contract.replay",
    ),
    tricky(
        "requires_grad of result",
        "return {'g': candidate(x).requires_grad}",
        "return (x*1).requires_grad_()",
        {"g": False},
    ),
    tricky(
        "signature and name of candidate",
        "import inspect; return {'n': candidate.__name__, 's': str(inspect.signature(candidate))}",
        "return x",
        "error the checker raised AttributeError: check may only call the candidate",
    ),
    tricky(
        "time in report",
        "import time\ndef check(candidate, x):\n  t=time.perf_counter(); candidate(x)\n"
        "  return {'t': time.perf_counter()-t}",
        "return x+1",
        "contract.replay",
    ),
    tricky("data_ptr in report", "return {'p': candidate(x).data_ptr()}", "return x+1", "contract.replay"),
    tricky(
        "default dtype changed by candidate",
        "candidate(x); return {'d': str(torch.tensor([1.0]).dtype), 'g': torch.is_grad_enabled()}",
        "torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False); return x",
        "contract.replay",
    ),
    tricky(
        "thread writes later",
        "import time\ndef check(candidate, x):\n  y=candidate(x); time.sleep(.3); return {'y': y.tolist()}",
        "import threading,time\n"
        + HEAD
        + "    y=x*0\n    def g(): time.sleep(.1); y.add_(x)\n    threading.Thread(target=g).start(); return y\n",
        "contract.replay",
    ),
    tricky(
        "thread writes an earlier result before the next call",
        "import time\ndef check(candidate, x):\n  y=candidate(x); time.sleep(.3); candidate(x)\n"
        "  return {'y': y.tolist()}",
        "import threading,time\n"
        + HEAD
        + "    y=x*0\n    def g(): time.sleep(.1); y.add_(x)\n    threading.Thread(target=g).start(); return y\n",
        "contract.replay",
    ),
    tricky(
        "resizes x",
        "candidate(x); return {'x': x.tolist()}",
        "x.resize_(5).fill_(1); return x.clone()",
        {"x": [1.0] * 5},
    ),
    tricky(
        "x.data is set",
        "candidate(x); return {'x': x.tolist()}",
        "x.data = torch.ones(2); return x.clone()",
        {"x": [1.0, 1.0]},
    ),
    tricky(
        "a global of the checker",
        "K=[0]\ndef check(candidate, x):\n  K[0]+=1; return {'v': candidate(x).tolist(), 'k': K[0]}",
        "return x+1",
        {"v": [4.0, 2.0, 3.0], "k": 1},
    ),
    tricky(
        "calls from threads",
        "from concurrent.futures import ThreadPoolExecutor\ndef check(candidate, x):\n"
        "  with ThreadPoolExecutor(4) as p: r=list(p.map(candidate, [x+i for i in range(8)]))\n"
        "  return {'v': [a.tolist() for a in r]}",
        "return x+1",
        "error the checker breaks a rule: check called the candidate from another thread",
    ),
    tricky(
        "sparse result", "return {'v': candidate(x).to_dense().tolist()}", "return x.to_sparse()", "contract.same-type"
    ),
    tricky(
        "conjugate view",
        "y=candidate(x); return {'c': y.is_conj(), 'v': torch.view_as_real(y.resolve_conj()).tolist()}",
        "return torch.complex(x,x).conj()",
        {"c": True, "v": [[3.0, -3.0], [1.0, -1.0], [2.0, -2.0]]},
    ),
    tricky(
        "negative view",
        "y=candidate(x); return {'n': y.is_neg(), 'v': y.tolist()}",
        "return torch.complex(x,x).conj().imag",
        {"n": True, "v": [-3.0, -1.0, -2.0]},
    ),
    tricky(
        "inference_mode result",
        "y=candidate(x); y.add_(1); return {'v': y.tolist()}",
        "@torch.inference_mode()\n" + HEAD + "    return x+1\n",
        {"v": [5.0, 3.0, 4.0]},
    ),
    tricky(
        "dataclass result",
        "return {'v': candidate(x).a}",
        "from dataclasses import dataclass\n@dataclass\nclass R:\n  a: int\n" + HEAD + "    return R(1)\n",
        "contract.same-type",
    ),
    tricky(
        "torch's named tuple",
        "r=candidate(x); return {'v': r.values.tolist(), 'i': r.indices.tolist()}",
        "return x.max(0)",
        {"v": [4.0, 5.0, 6.0], "i": [1, 1, 1]},
        MATRIX,
    ),
    tricky(
        "empty results share storage 0",
        "a=candidate(x[:0]); return {'v': a.tolist(), 's': list(a.shape)}",
        "return x*2",
        {"v": [], "s": [0]},
    ),
    tricky(
        "exit inside the call by os._exit",
        "candidate(x); return {'ok': 1}",
        "import os\n" + HEAD + "    os._exit(0)\n",
        "error your code ended the process",
    ),
    tricky(
        "hidden object returned twice",
        "a=candidate(x); b=candidate(x+1); c=candidate(b); return {'same': a is b, 'v': [t.tolist() for t in (a,b,c)]}",
        BUFFER + "    B.add_(x); return B\n",
        {"same": True, "v": [[14.0, 6.0, 10.0]] * 3},
    ),
    tricky(
        "list of tensors returned, fed back",
        "p=[x, x+1]\nfor _ in range(3): p=candidate(p)\nreturn {'v': [t.tolist() for t in p], 'is': p[0] is p[1]}",
        "def f(p): return [p[1]*2, p[0].mul_(3)]",
        {"v": [[48.0, 24.0, 36.0], [54.0, 18.0, 36.0]], "is": False},
    ),
    tricky(
        "hidden list returned twice, changed between",
        "a=candidate(x); b=candidate(x); return {'is': a is b, 'n': len(a)}",
        "L=[]\n" + HEAD + "    L.append(x+1); return L\n",
        {"is": True, "n": 2},
    ),
    tricky(
        "compiles the candidate",
        "return {'v': torch.compile(candidate, backend='eager')(x).tolist()}",
        "return x+1",
        "error the checker breaks a rule: check compiled the candidate",
    ),
    tricky(
        "other values than recorded",
        "y=torch.empty(3).fill_(float(type(candidate).__name__ == 'Recorder')); candidate(y); return {'ok': True}",
        "return x+1",
        "contract.replay",
    ),
    tricky(
        "other arguments than recorded, and the refusal is caught",
        "try: candidate(x, n=type(candidate).__name__)\nexcept Exception: pass\nreturn {'ok': True}",
        "return x+1",
        "contract.replay",
    ),
    tricky(
        "fewer calls than recorded",
        "for _ in range(1 + (type(candidate).__name__ == 'Recorder')): candidate(x)\nreturn {'ok': True}",
        "return x+1",
        "contract.replay",
    ),
    tricky(
        "keys of a report are strings",
        "candidate(x); return {1: 2}",
        "return x",
        "error the checker breaks a rule: the keys of a report",
    ),
    tricky(
        "a tensor in the report",
        "return {'v': candidate(x)}",
        "return x",
        "error the checker breaks a rule: report v is a Tensor",
    ),
    tricky(
        "NaN and infinity in a report",
        "return {'v': candidate(x).tolist()}",
        "return x/0*torch.tensor([1,0,-1])",
        {"v": ["inf", "nan", "-inf"]},
    ),
    tricky(
        "cannot count, caught by check",
        "try:\n    with count_allocations() as c: candidate(x)\nexcept Exception: pass\nreturn {'n': 0}",
        "x.to_sparse(); return x+1",
        "error cannot count",
    ),
    tricky(
        "cannot count, caught by the candidate",
        "with count_allocations() as c: candidate(x)\nreturn {'n': c.total}",
        "try: x.to_sparse()\nexcept Exception: pass\nreturn x+1",
        "error cannot count",
    ),
)
