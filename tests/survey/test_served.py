"""`survey.served`: compiled objects that only handlers call, and those that may be warm before a request comes."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Compile
from tests.support.survey_events import NET, events_of

APP = "from fastapi import FastAPI\napp = FastAPI()\n"
POST = "@app.post('/predict')\ndef predict(x): return model(x)\n"


def served(text: str) -> list[tuple[str, str]]:
    """What is compiled and which handler calls it."""
    found = events_of(NET + textwrap.dedent(text))
    return [(one.target, one.where) for one in found if isinstance(one, Compile) and one.use == "served"]


MADE = "model = torch.compile(Net())\n"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        pytest.param(APP + MADE + POST, "predict", id="an endpoint"),
        pytest.param(APP + "model = Net()\nmodel.eval()\nmodel.compile()\n" + POST, "predict", id="compiled in place"),
        pytest.param(APP + MADE + "model.eval()\n" + POST, "predict", id="put to evaluation"),
        pytest.param(
            "from flask import Flask\napp = Flask(__name__)\n"
            + MADE
            + "@app.route('/')\ndef index(): return model(1)\n",
            "index",
            id="of Flask",
        ),
        pytest.param(
            APP + MADE + "def run(x): return model(x)\n@app.post('/p')\ndef predict(x): return run(x)\n",
            "predict",
            id="through a function of its own",
        ),
        pytest.param(
            "import gradio as gr\n" + MADE + "def answer(x): return model(x)\ndemo = gr.Interface(fn=answer)\n",
            "answer",
            id="of an interface",
        ),
        pytest.param(
            "from http.server import BaseHTTPRequestHandler\n"
            + MADE
            + "class H(BaseHTTPRequestHandler):\n    def do_POST(self): return model(1)\n",
            "H.do_POST",
            id="of the standard library",
        ),
        pytest.param(
            "from cog import BasePredictor\nclass P(BasePredictor):\n"
            "    def setup(self): self.m = torch.compile(Net())\n    def predict(self, x): return self.m(x)\n",
            "P.predict",
            id="of cog",
        ),
        pytest.param(
            "from ts.torch_handler.base_handler import BaseHandler\nclass H(BaseHandler):\n"
            "    def initialize(self, context):\n        pipe = load()\n        pipe.enable_slicing()\n"
            "        pipe.unet = torch.compile(pipe.unet)\n        self.pipe = pipe\n"
            "    def inference(self, text): return self.pipe(text, steps=20).images\n",
            "H.inference",
            id="as a part of what is called",
        ),
        pytest.param(
            APP + "class Service:\n    def __init__(self): self.m = torch.compile(Net())\n"
            "    def answer(self, x): return self.m(x)\nservice = Service()\n"
            "@app.post('/p')\ndef predict(x): return service.answer(x)\n",
            "predict",
            id="through the method of an object",
        ),
        pytest.param(
            "import gradio as gr\n" + MADE + "def answer(x): return model(x)\n"
            "with gr.Blocks() as demo:\n    button = gr.Button()\n    button.click(fn=answer, inputs=[])\n",
            "answer",
            id="of a button",
        ),
        pytest.param(
            "import modal\nclass P:\n    @modal.enter()\n    def start(self): self.m = torch.compile(Net())\n"
            "    @modal.method()\n    def predict(self, x): return self.m(x)\n",
            "P.predict",
            id="of a decorated method",
        ),
    ],
)
def test_only_requests_call_it(text: str, where: str) -> None:
    assert [found for _, found in served(text)] == [where]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(APP + MADE + "model(torch.zeros(3))\n" + POST, id="warm when the file is read"),
        pytest.param(
            APP + MADE + "@app.on_event('startup')\ndef warm(): model(torch.zeros(3))\n" + POST, id="at start"
        ),
        pytest.param(APP + MADE + "warm_up(model)\n" + POST, id="handed on"),
        pytest.param(
            APP + MADE + "def run(x): return model(x)\nrun(1)\n@app.post('/p')\ndef p(x): return run(x)\n",
            id="by its function",
        ),
        pytest.param(APP + MADE + "def run(x): return model(x)\n", id="no request"),
        pytest.param(MADE + "def predict(x): return model(x)\n", id="no server"),
        pytest.param(MADE + "@app.post('/p')\ndef predict(x): return model(x)\n", id="an unknown app"),
        pytest.param(
            "from cog import BasePredictor\nclass P(BasePredictor):\n"
            "    def setup(self):\n        self.m = torch.compile(Net())\n"
            "        self.m(torch.zeros(3))\n    def predict(self, x): return self.m(x)\n",
            id="warm after setup",
        ),
        pytest.param(
            "from cog import BasePredictor\nclass P(BasePredictor):\n"
            "    def setup(self):\n        self.pipe = load()\n        self.pipe.unet = torch.compile(self.pipe.unet)\n"
            "        self.pipe('warm')\n    def predict(self, x): return self.pipe(x)\n",
            id="warm by a call of the whole",
        ),
        pytest.param(
            "from cog import BasePredictor\nclass P(BasePredictor):\n    def warm(self): self.m(torch.zeros(3))\n"
            "    def setup(self):\n        self.m = torch.compile(Net())\n        self.warm()\n"
            "    def predict(self, x): return self.m(x)\n",
            id="warm by a method",
        ),
    ],
)
def test_something_else_may_call_it_first(text: str) -> None:
    assert served(text) == []
