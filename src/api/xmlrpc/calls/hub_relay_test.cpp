#include "api/xmlrpc/calls/hub_relay.h"

#include "tests/fixtures/api/xmlrpc_fixture.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;

// web1 is served by n1, which is there; n2 is a node that is not.
struct two_nodes : xmlrpc_fixture {
    std::string key = log_in();

    two_nodes() {
        auto now = std::make_shared<cluster::topology>(*places.read());
        for (const std::int64_t each : {1, 2}) {
            const auto name = "n" + std::to_string(each);
            now->nodes[name] = {.number = node_number(each), .name = name, .zone = "default"};
            now->node_names[node_number(each)] = name;
        }
        now->servers["n1"] = {.name = "n1"};
        places.publish(std::move(now));
    }
};

constexpr const char* wrong_parameters = "<i4>-32602</i4>";

TEST_CASE("servers are the nodes, by their numbers; a session is good on each that is there") {
    two_nodes here;
    CHECK(here.call("hub.listServerIds", {here.key})
              .contains("<value><i4>1</i4></value><value><i4>2</i4></value>"));
    const auto response = here.call("hub.attachToServers", {here.key, numbers({1, 2, 3})});
    CHECK(response.contains("Server 2 (n2) is not there"));
    CHECK(response.contains("There is no server 3"));
    const auto in =
        here.call("hub.loginWithAutoconnectMode", {text("admin"), text("correct horse")});
    CHECK(in.contains("<name>SessionKey</name>"));
    CHECK(in.contains("Server 2 (n2) is not there"));
    CHECK(here.call("hub.login", {text("admin"), text("wrong")}).contains("<i4>2950</i4>"));
}

TEST_CASE("a call for one server is answered for the systems that it serves") {
    two_nodes here;
    const auto listed = here.call("unicast.system.listSystems", {here.key, number(1)});
    CHECK(count(listed, "<struct>") == 1);
    CHECK(listed.contains("web1"));
    CHECK(here.call("unicast.system.getName", {here.key, number(1), number(1)}).contains("web1"));
    CHECK(here.call("unicast.system.getName", {here.key, number(1), number(2)})
              .contains("No such system"));
    CHECK(here.call("unicast.system.listSystems", {here.key, number(2)})
              .contains("Server 2 (n2) is not there"));
    CHECK(
        here.call("unicast.system.listSystems", {here.key, text("n1")}).contains(wrong_parameters));
    CHECK(here.call("unicast.system.listSystems", {here.key}).contains(wrong_parameters));
    CHECK(here.call("unicast.no.such", {here.key, number(1)}).contains("There is no method"));
}

TEST_CASE("a call for many servers keeps each one's outcome, in the order of asking") {
    two_nodes here;
    const auto response = here.call("multicast.system.listSystems", {here.key, numbers({2, 1})});
    const auto failed = response.find("<name>Failed</name>");
    REQUIRE(failed != std::string::npos);
    CHECK(response.substr(0, failed).contains("web1"));
    CHECK(response.substr(failed).contains("Server 2 (n2) is not there"));
    CHECK(!response.contains("web2"));
    const auto names =
        here.call("multicast.system.getName", {here.key, numbers({1, 2}), numbers({1, 2})});
    CHECK(names.contains("web1"));
    CHECK(here.call("multicast.system.getName", {here.key, numbers({1, 2}), numbers({1})})
              .contains(wrong_parameters));
    CHECK(here.call("multicast.system.listSystems", {here.key, numbers({})})
              .contains(wrong_parameters));
    CHECK(here.call("multicast.system.listSystems", {here.key, numbers({1, 1})})
              .contains(wrong_parameters));
}

TEST_CASE("lists of who is there name the nodes whose part is missing, of the caller's zones") {
    two_nodes here;
    auto now = std::make_shared<cluster::topology>(*here.places.read());
    for (auto& [name, node] : now->nodes) node.state = membership::node_state::serving;
    now->nodes["n3"] = {
        .number = node_number(3),
        .name = "n3",
        .zone = "far",
        .state = membership::node_state::suspect};
    here.places.publish(std::move(now));
    const auto missing = [&](const std::string& method, const std::string& key) {
        const auto answered = here.send(
            "<methodCall><methodName>" + method + "</methodName><params><param><value>" + key
            + "</value></param></params></methodCall>");
        return std::string(answered.field("Muster-Missing-Nodes").value_or("none"));
    };
    CHECK(missing("system.listActiveSystems", here.key) == "n2,n3");
    CHECK(missing("system.listInactiveSystems", here.key) == "n2,n3");
    CHECK(missing("system.listSystems", here.key) == "none");
    here.add_user("faye", {{.role = "viewer", .zone = "far"}});
    CHECK(missing("system.listActiveSystems", here.log_in("faye")) == "n3");
}

TEST_CASE("who has no session is told nothing of servers, and who sees one zone, of its own") {
    two_nodes here;
    for (const char* const each : {"unicast.system.listSystems", "unicast.auth.login"})
        CHECK(!here.call(each, {text("1xnobody"), number(2)}).contains("n2"));
    CHECK(here.call("multicast.system.listSystems", {text("1xnobody"), numbers({1})})
              .contains("Could not find session"));
    here.add_user("fay", {{.role = "operator", .zone = "far"}});
    const auto in = here.call("hub.loginWithAutoconnectMode", {text("fay"), text("correct horse")});
    CHECK(in.contains("<name>SessionKey</name>"));
    CHECK(!in.contains("n2"));
    const auto fay = here.log_in("fay");
    CHECK(here.call("hub.attachToServers", {fay, numbers({2})}).contains("There is no server 2"));
    CHECK(
        here.call("unicast.system.listSystems", {fay, number(2)}).contains("There is no server 2"));
    CHECK(!here.call("multicast.system.listSystems", {fay, numbers({2, 3})}).contains("n2"));
}

TEST_CASE("hub clients find everything at the path they know") {
    two_nodes here;
    const auto response = here.send(
        "<methodCall><methodName>hub.listServerIds</methodName><params><param><value>" + here.key
            + "</value></param></params></methodCall>",
        {.path = "/hub/rpc/api"});
    CHECK(response.body.contains("<i4>2</i4>"));
}

}  // namespace
}  // namespace muster::xmlrpc_api
