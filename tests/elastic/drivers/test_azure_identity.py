"""How the head node's driver finds its cluster, and the requests that it sends."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest
from serving import HttpServer, serving

from elastic.drivers.azure_cluster import FIRST, NOW, add_sets, inside, launch, make_driver
from elastic.drivers.conftest import Clock
from elastic.drivers.fake_arm import CONFIG, GROUP, AzureError, FakeArm
from elastic.drivers.fake_login_sets import OWN_GROUP
from elastic.drivers.rest_server import RestServer
from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers import connect
from hpc_components.elastic.drivers.azure import driver as module
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens
from hpc_components.elastic.drivers.http import Answer, Connections

TAGS = {"ClusterName": "cfd", "hpc:nodes-group": GROUP, "hpc:config": CONFIG, "hpc:identity": "head"}


class Imds(HttpServer):
    """The metadata service of a head node."""

    def __init__(self, tags, environment="AzurePublicCloud"):
        super().__init__(("127.0.0.1", 0), ImdsAnswer)
        listed = [{"name": name, "value": value} for name, value in tags.items()]
        id = f"{OWN_GROUP}/providers/Microsoft.Compute/virtualMachines/cfd-head"
        self.compute = {
            "name": "cfd-head", "azEnvironment": environment, "tagsList": listed, "resourceId": id,
        }  # fmt: skip


class ImdsAnswer(BaseHTTPRequestHandler):
    def __getattr__(self, name):
        if name == "do_GET":
            return self.answer
        raise AttributeError(name)

    def answer(self):
        good = self.headers.get("Metadata") == "true" and self.path == "/metadata/instance?api-version=2021-02-01"
        text = json.dumps({"compute": self.server.compute} if good else {"error": "Bad request"}).encode()
        self.send_response(200 if good else 400)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


@contextmanager
def imds(monkeypatch, tags=TAGS, **more):
    with Imds(tags, **more) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("IMDS", f"http://127.0.0.1:{server.server_port}")
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


CONFIGURATION = Config(cluster="cfd", cloud="azure", queues=())


@pytest.mark.parametrize("environment", module.ENDPOINTS)
def test_the_cluster_is_found_by_the_head_nodes_own_tags(environment, monkeypatch):
    made = []
    monkeypatch.setattr(module, "AzureDriver", lambda *what: made.append(what))
    with imds(monkeypatch, environment=environment):
        connect(CONFIGURATION)
    ((cluster, place, *_),) = made
    arm, suffix = module.ENDPOINTS[environment]
    assert cluster == "cfd"
    assert (place.arm, place.group, place.own_group, place.config) == (arm, GROUP, OWN_GROUP, CONFIG)
    assert place.blobs == f"https://account.{suffix}/nodes"


@pytest.mark.parametrize("tag", ["hpc:nodes-group", "hpc:config", "hpc:identity"])
def test_a_tag_that_is_missing_is_named(tag, monkeypatch):
    tags = {name: value for name, value in TAGS.items() if name != tag}
    words = rf"{tag}: the head node lacks this tag, which cloud 'azure' requires; run `pulumi up`"
    with imds(monkeypatch, tags), pytest.raises(ConfigError, match=words):
        connect(CONFIGURATION)


def test_an_azure_that_is_not_known_is_named(monkeypatch):
    words = "azEnvironment: 'AzureGermanCloud' is not one of AzurePublicCloud, "
    with imds(monkeypatch, environment="AzureGermanCloud"), pytest.raises(ConfigError, match=words):
        connect(CONFIGURATION)


def test_without_a_metadata_service_there_is_no_driver(monkeypatch):
    monkeypatch.setenv("IMDS", "http://127.0.0.1:1")
    with pytest.raises(OSError, match="refused"):
        connect(CONFIGURATION)


class Service:
    """A metadata service that counts its tokens."""

    def __init__(self, life):
        self.asked, self.life, self.now = [], life, NOW

    def send(self, method, url, headers, body):
        assert headers == {"Metadata": "true"}
        self.asked.append(url)
        token = {"access_token": f"token {len(self.asked)}", "expires_on": str(int(self.now + self.life))}
        return Answer(status=200, headers={}, body=json.dumps(token).encode())

    def tokens(self):
        return Tokens(Metadata("http://imds.test", self.send), "a-b-c", lambda: self.now)


def test_a_token_is_for_one_service_and_used_until_shortly_before_its_end():
    service = Service(life=3600)
    tokens = service.tokens()
    assert [tokens.of("https://management.azure.com/") for _ in range(3)] == ["token 1"] * 3
    assert tokens.of("https://storage.azure.com/") == "token 2"
    service.now += 3290
    assert tokens.of("https://management.azure.com/") == "token 1"
    service.now += 20
    assert tokens.of("https://management.azure.com/") == "token 3"
    assert service.asked[0].endswith(
        "/metadata/identity/oauth2/token?api-version=2018-02-01"
        "&resource=https%3A%2F%2Fmanagement.azure.com%2F&client_id=a-b-c"
    )


def test_a_token_that_is_refused_is_asked_for_again_once():
    arm = FakeArm(Clock())
    add_sets(arm, FIRST)
    driver = make_driver(arm, inside(arm))
    driver.list()
    arm.token = 2  # somebody has revoked the first one
    arm.clock.now += 60
    driver.list()
    arm.clock.now += 60
    arm.calls.clear()
    arm.token, arm.fail["token"] = 3, AzureError("invalid_request", "Identity not found")
    with pytest.raises(OSError, match=r"instance metadata: identity/oauth2/token: HTTP 400: .*Identity not found"):
        driver.list()
    assert arm.calls["list sets"] == 1


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b"{}", b'{"access_token": "x", "expires_on": "soon"}'])
def test_a_token_that_is_not_understood_is_an_os_error(body):
    tokens = Tokens(Metadata("http://imds.test", lambda *_: Answer(status=200, headers={}, body=body)), "a")
    with pytest.raises(OSError, match="token request"):
        tokens.of("https://management.azure.com/")


@pytest.mark.parametrize("body", [b"nonsense", b"[]", b'{"compute": {}}'])
def test_a_machine_that_is_not_understood_is_an_os_error(body):
    with pytest.raises(OSError, match="unexpected response"):
        Metadata("http://imds.test", lambda *_: Answer(status=200, headers={}, body=body)).compute()


@pytest.fixture
def server():
    arm = FakeArm(Clock())
    add_sets(arm, FIRST)
    with serving(RestServer(arm)) as server:
        yield server


def test_connections_are_used_again(server):
    opened = []
    original = server.process_request
    server.process_request = lambda request, address: (opened.append(address), original(request, address))
    connections = Connections()
    driver = make_driver(server.fake, connections.send)
    driver.launch(launch(1))
    driver.list()
    connections.close()
    assert len(opened) == 1
    assert server.fake.calls.total() > 8


def test_a_connection_that_the_other_end_has_cut_is_no_answer(server):
    connections = Connections()
    driver = make_driver(server.fake, connections.send)
    driver.list()
    server.fake.clock.now += 60
    server.lose_answers["list sets"] = 1
    with pytest.raises(OSError, match=r"no response from 127|Remote end closed|reset"):
        driver.list()
    assert driver.list() == []
    connections.close()


def test_what_is_no_json_is_no_answer():
    arm = FakeArm(Clock())

    def send(method, url, headers, body):
        if "virtualMachineScaleSets" in url:
            return Answer(status=200, headers={}, body=b'{"value": [')
        return inside(arm)(method, url, headers, body)

    with pytest.raises(OSError, match="Azure's response is not valid JSON: Expecting value"):
        make_driver(arm, send).list()
