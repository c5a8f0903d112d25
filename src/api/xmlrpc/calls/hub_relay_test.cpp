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
        for (const std::int64_t number : {1, 2}) {
            const auto name = "n" + std::to_string(number);
            now->nodes[name] = {.number = node_number(number), .name = name, .zone = "default"};
            now->node_names[node_number(number)] = name;
        }
        now->servers["n1"] = {.name = "n1"};
        places.publish(std::move(now));
    }
};

constexpr const char* wrong_parameters = "<i4>-32602</i4>";

TEST_CASE("servers are the nodes, by their numbers; a session is good on each that is there") {
    two_nodes fixture;
    CHECK(fixture.call("hub.listServerIds", {fixture.key})
              .contains("<value><i4>1</i4></value><value><i4>2</i4></value>"));
    const auto response = fixture.call("hub.attachToServers", {fixture.key, numbers({1, 2, 3})});
    CHECK(response.contains("server 2 (n2) is not available"));
    CHECK(response.contains("server \"3\" not found"));
    const auto in =
        fixture.call("hub.loginWithAutoconnectMode", {text("admin"), text("correct horse")});
    CHECK(in.contains("<name>SessionKey</name>"));
    CHECK(in.contains("server 2 (n2) is not available"));
    CHECK(fixture.call("hub.login", {text("admin"), text("wrong")}).contains("<i4>2950</i4>"));
}

TEST_CASE("a call for one server is answered for the systems that it serves") {
    two_nodes fixture;
    const auto listed = fixture.call("unicast.system.listSystems", {fixture.key, number(1)});
    CHECK(count(listed, "<struct>") == 1);
    CHECK(listed.contains("web1"));
    CHECK(fixture.call("unicast.system.getName", {fixture.key, number(1), number(1)})
              .contains("web1"));
    CHECK(fixture.call("unicast.system.getName", {fixture.key, number(1), number(2)})
              .contains("No such system"));
    CHECK(fixture.call("unicast.system.listSystems", {fixture.key, number(2)})
              .contains("server 2 (n2) is not available"));
    CHECK(fixture.call("unicast.system.listSystems", {fixture.key, text("n1")})
              .contains(wrong_parameters));
    CHECK(fixture.call("unicast.system.listSystems", {fixture.key}).contains(wrong_parameters));
    CHECK(fixture.call("unicast.no.such", {fixture.key, number(1)})
              .contains("method \"no.such\" not found"));
}

TEST_CASE("a call for many servers keeps each one's outcome, in the order of asking") {
    two_nodes fixture;
    const auto response =
        fixture.call("multicast.system.listSystems", {fixture.key, numbers({2, 1})});
    const auto failed = response.find("<name>Failed</name>");
    REQUIRE(failed != std::string::npos);
    CHECK(response.substr(0, failed).contains("web1"));
    CHECK(response.substr(failed).contains("server 2 (n2) is not available"));
    CHECK(!response.contains("web2"));
    const auto names =
        fixture.call("multicast.system.getName", {fixture.key, numbers({1, 2}), numbers({1, 2})});
    CHECK(names.contains("web1"));
    CHECK(fixture.call("multicast.system.getName", {fixture.key, numbers({1, 2}), numbers({1})})
              .contains(wrong_parameters));
    CHECK(fixture.call("multicast.system.listSystems", {fixture.key, numbers({})})
              .contains(wrong_parameters));
    CHECK(fixture.call("multicast.system.listSystems", {fixture.key, numbers({1, 1})})
              .contains(wrong_parameters));
}

TEST_CASE("lists of who is there name the nodes whose part is missing, of the caller's zones") {
    two_nodes fixture;
    auto now = std::make_shared<cluster::topology>(*fixture.places.read());
    for (auto& [name, node] : now->nodes) node.state = membership::node_state::serving;
    now->nodes["n3"] = {
        .number = node_number(3),
        .name = "n3",
        .zone = "far",
        .state = membership::node_state::suspect};
    fixture.places.publish(std::move(now));
    const auto missing = [&](const std::string& method, const std::string& key) {
        const auto answered = fixture.send(
            "<methodCall><methodName>" + method + "</methodName><params><param><value>" + key
            + "</value></param></params></methodCall>");
        return std::string(answered.field("Muster-Missing-Nodes").value_or("none"));
    };
    CHECK(missing("system.listActiveSystems", fixture.key) == "n2,n3");
    CHECK(missing("system.listInactiveSystems", fixture.key) == "n2,n3");
    CHECK(missing("system.listSystems", fixture.key) == "none");
    fixture.add_user("faye", {{.role = "viewer", .zone = "far"}});
    CHECK(missing("system.listActiveSystems", fixture.log_in("faye")) == "n3");
}

TEST_CASE("who has no session is told nothing of servers, and who sees one zone, of its own") {
    two_nodes fixture;
    for (const char* const name : {"unicast.system.listSystems", "unicast.auth.login"})
        CHECK(!fixture.call(name, {text("1xnobody"), number(2)}).contains("n2"));
    CHECK(fixture.call("multicast.system.listSystems", {text("1xnobody"), numbers({1})})
              .contains("Could not find session"));
    fixture.add_user("fay", {{.role = "operator", .zone = "far"}});
    const auto in =
        fixture.call("hub.loginWithAutoconnectMode", {text("fay"), text("correct horse")});
    CHECK(in.contains("<name>SessionKey</name>"));
    CHECK(!in.contains("n2"));
    const auto fay = fixture.log_in("fay");
    CHECK(fixture.call("hub.attachToServers", {fay, numbers({2})})
              .contains("server \"2\" not found"));
    CHECK(fixture.call("unicast.system.listSystems", {fay, number(2)})
              .contains("server \"2\" not found"));
    CHECK(!fixture.call("multicast.system.listSystems", {fay, numbers({2, 3})}).contains("n2"));
}

TEST_CASE("hub clients find everything at the path they know") {
    two_nodes fixture;
    const auto response = fixture.send(
        "<methodCall><methodName>hub.listServerIds</methodName><params><param><value>" + fixture.key
            + "</value></param></params></methodCall>",
        {.path = "/hub/rpc/api"});
    CHECK(response.body.contains("<i4>2</i4>"));
}

}  // namespace
}  // namespace muster::xmlrpc_api
