#include "api/xmlrpc/xmlrpc_api.h"

#include "adapters/net/gzip/gzip_codec.h"
#include "tests/fixtures/api/xmlrpc_fixture.h"

#include <algorithm>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

// Numbers, names and codes stand in an answer as these.
std::string named(const std::string& member, const std::string& value) {
    return "<name>" + member + "</name><value><string>" + value + "</string>";
}
std::string fault_code(int code) {
    return "<name>faultCode</name><value><i4>" + std::to_string(code) + "</i4>";
}

std::string unpacked(const std::string& packed) {
    net::gzip::gzip_decoder decoder;
    decoder.feed(packed);
    std::string whole;
    for (bool more = true; more;) {
        const auto block = decoder.next();
        REQUIRE(block.has_value());
        whole += *block;
        more = !block->empty();
    }
    REQUIRE(decoder.finish().has_value());
    return whole;
}

TEST_CASE("somebody logs in, is known by the key with its line's end, and logs out") {
    xmlrpc_fixture fixture;
    CHECK(fixture.call("api.getVersion").contains("<string>29</string>"));
    const auto key = fixture.log_in();
    CHECK(key.ends_with("\n</string>"));
    CHECK(fixture.call("user.listAssignableRoles", {key}).contains("<string>viewer</string>"));
    CHECK(fixture.call("system.hasTraditionalSystems", {key}).contains("<boolean>0</boolean>"));
    CHECK(fixture.call("auth.isSessionKeyValid", {key}).contains("<boolean>1</boolean>"));
    CHECK(fixture.call("auth.logout", {key}).contains("<i4>1</i4>"));
    CHECK(fixture.call("auth.isSessionKeyValid", {key}).contains("<boolean>0</boolean>"));
    const auto response = fixture.call("system.listSystems", {key});
    const auto number = key.substr(8, key.find('x') - 8);
    CHECK(response.contains(
        "redstone.xmlrpc.XmlRpcFault: Could not find session with id: " + number + "<"));
}

TEST_CASE("a login with another password is fault 2950, and one with a duration a login") {
    xmlrpc_fixture fixture;
    CHECK(fixture.call("auth.login", {text("admin"), text("wrong")}).contains(fault_code(2950)));
    CHECK(fixture.call("auth.login", {text("nobody"), text("wrong")}).contains(fault_code(2950)));
    CHECK(fixture.call("auth.login", {text(""), text("")}).contains(fault_code(2950)));
    CHECK(!fixture.call("auth.login", {text("admin"), text("correct horse"), number(3600)})
               .contains("fault"));
}

TEST_CASE("what is no call, or of no method, is a fault with status 200; a GET is refused") {
    xmlrpc_fixture fixture;
    for (const char* const body :
         {"",
          "no XML",
          "<!DOCTYPE a><methodCall><methodName>api.getVersion</methodName>"
          "</methodCall>"}) {
        const auto answered = fixture.send(body);
        CHECK(answered.status == 200);
        CHECK(answered.body.contains(fault_code(-1)));
    }
    CHECK(fixture.call("no.such").contains(fault_code(-1)));
    CHECK(fixture.call("api.getVersion", {number(1)}).contains(fault_code(-1)));
    CHECK(fixture.send("", {.method = "GET"}).status == 405);
}

TEST_CASE("the methods are listed as they are declared") {
    xmlrpc_fixture fixture;
    CHECK(fixture.call("api.getApiNamespaces").contains("<name>systemgroup</name>"));
    CHECK(
        fixture.call("api.getApiCallList").contains("<name>listInactiveSystems_string_int</name>"));
    const auto some = fixture.call("api.getApiNamespaceCallList", {text("saltkey")});
    CHECK(some.contains("<name>accept_string_string</name>"));
    CHECK(!some.contains("listSystems"));
}

TEST_CASE("systems are listed, found by name and told in detail") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto all = fixture.call("system.listSystems", {key});
    CHECK(count(all, "<struct>") == 4);
    CHECK(all.contains(named("name", "far4")));
    const auto active = fixture.call("system.listActiveSystems", {key});
    CHECK(count(active, "<struct>") == 1);
    CHECK(active.contains(named("name", "web1")));
    CHECK(active.contains("<name>last_checkin</name><value><dateTime.iso8601>"));
    CHECK(count(fixture.call("system.listInactiveSystems", {key}), "<struct>") == 3);
    CHECK(count(fixture.call("system.list_inactive_systems", {key, number(3)}), "<struct>") == 3);
    CHECK(count(fixture.call("system.getId", {key, text("web2")}), "<struct>") == 1);
    CHECK(count(fixture.call("system.getId", {key, text("web*")}), "<struct>") == 0);
    CHECK(count(fixture.call("system.searchByName", {key, text("^web")}), "<struct>") == 2);
    CHECK(count(fixture.call("system.searchByName", {key, text("b[13]$")}), "<struct>") == 2);
    CHECK(fixture.call("system.searchByName", {key, text("(")}).contains(fault_code(2801)));
    CHECK(fixture.call("system.getName", {key, number(2)}).contains(named("name", "web2")));
    const auto one = fixture.call("system.getDetails", {key, number(1)});
    CHECK(one.contains(named("profile_name", "web1")));
    CHECK(one.contains(named("osa_status", "online")));
    CHECK(fixture.call("system.getDetails", {key, number(9)}).contains("No such system - sid = 9"));
    CHECK(fixture.call("system.getDetails", {key, number(0)}).contains(fault_code(2801)));
}

TEST_CASE("systems are found by parts of what they told of themselves") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const std::vector<fleet::search::system_facts> facts{
        {system_number(2),
         {{"addresses", "192.0.2.17"},
          {"addresses", "2001:db8::17"},
          {"hostname", "Shop.acme.org"},
          {"kernel.release", "6.12.1"}}}};
    fixture.found.set_facts(facts);
    const auto by = [&](const std::string& what, const std::string& term) {
        return fixture.call("system.search." + what, {key, text(term)});
    };
    CHECK(count(by("nameAndDescription", "WEB"), "<struct>") == 2);
    CHECK(by("hostname", "shop").contains(named("name", "web2")));
    const auto described = "<struct><member><name>description</name><value>" + text("sells Hats")
                           + "</value></member></struct>";
    fixture.call("system.setDetails", {key, number(2), described});
    fixture.call("system.setProfileName", {key, number(3), text("ledger box")});
    CHECK(by("nameAndDescription", "hats").contains(named("name", "web2")));
    CHECK(by("nameAndDescription", "LEDGER").contains(named("name", "ledger box")));
    CHECK(by("nameAndDescription", "db3").contains(named("name", "ledger box")));
    CHECK(count(by("hostname", "far4"), "<struct>") == 1);
    CHECK(count(by("ip", "203.0.113"), "<struct>") == 0);
    CHECK(by("ip", "db8::17").contains(named("ip", "192.0.2.17")));
    CHECK(count(by("ip", "192.0.2"), "<struct>") == 1);
    CHECK(count(by("uuid", "nobody"), "<struct>") == 0);
    CHECK(by("uuid", "").contains(fault_code(2801)));
    CHECK(fixture.call("system.getRunningKernel", {key, number(2)}).contains("6.12.1"));
    CHECK(fixture.call("system.getRegistrationDate", {key, number(2)})
              .contains("<dateTime.iso8601>"));
    CHECK(count(fixture.call("system.listUngroupedSystems", {key}), "<struct>") == 4);
    fixture.call("systemgroup.create", {key, text("shop"), text("")});
    fixture.call("systemgroup.addOrRemoveSystems", {key, text("shop"), numbers({1}), flag(true)});
    CHECK(count(fixture.call("system.listUngroupedSystems", {key}), "<struct>") == 3);
}

TEST_CASE("a system that is deleted is sent away from its node, and the trail says who did it") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    CHECK(fixture.call("system.deleteSystem", {key, number(1)}).contains("<i4>1</i4>"));
    CHECK(fixture.known.find(system_number(1))->unregistered == 1);
    const auto many =
        fixture.call("system.deleteSystems", {key, numbers({2, 3}), text("NO_CLEANUP")});
    CHECK(many.contains("<i4>1</i4>"));
    CHECK(fixture.known.find(system_number(3))->unregistered == 1);
    // One that is not there: nothing is done with the others.
    CHECK(fixture.call("system.deleteSystems", {key, numbers({4, 9})}).contains("sid = 9"));
    CHECK(fixture.known.find(system_number(4))->unregistered == 0);
    const auto wrong = fixture.call("system.deleteSystem", {key, number(4), text("PERHAPS")});
    CHECK(wrong.contains(fault_code(2801)));
    const auto trail = fixture.audited();
    CHECK(std::ranges::count(trail, "system.deleteSystem") == 1);
    CHECK(std::ranges::count(trail, "system.deleteSystems") == 2);
}

TEST_CASE("who has rights in one zone sees and touches its systems only") {
    xmlrpc_fixture fixture;
    fixture.add_user("far", {{.role = "operator", .zone = "far"}});
    fixture.add_user("reader", {{.role = "viewer", .zone = ""}});
    const auto far = fixture.log_in("far");
    const auto all = fixture.call("system.listSystems", {far});
    CHECK(count(all, "<struct>") == 1);
    CHECK(all.contains(named("name", "far4")));
    CHECK(fixture.call("system.getDetails", {far, number(1)}).contains("No such system"));
    CHECK(fixture.call("system.deleteSystem", {far, number(1)}).contains("No such system"));
    CHECK(fixture.call("user.listUsers", {far}).contains("people.read"));
    const auto reader = fixture.log_in("reader");
    CHECK(count(fixture.call("system.listSystems", {reader}), "<struct>") == 4);
    CHECK(fixture.call("system.deleteSystem", {reader, number(1)}).contains("systems.change"));
    CHECK(fixture.call("systemgroup.create", {reader, text("a"), text("b")})
              .contains("groups.change"));
    CHECK(fixture.known.find(system_number(1))->unregistered == 0);
}

TEST_CASE("a group is made, gets systems, is listed with them and goes with its label") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto shop = text("shop");
    CHECK(fixture.call("systemgroup.create", {key, shop, text("sells")})
              .contains(named("description", "sells")));
    CHECK(
        fixture.call("systemgroup.create", {key, shop, text("again")}).contains(fault_code(2200)));
    CHECK(fixture.call("systemgroup.create", {key, text("a b"), text("")})
              .contains(fault_code(2200)));
    CHECK(count(fixture.call("systemgroup.listSystems", {key, shop}), "<struct>") == 0);
    const auto added =
        fixture.call("systemgroup.addOrRemoveSystems", {key, shop, numbers({1, 4}), flag(true)});
    CHECK(added.contains("<i4>1</i4>"));
    const auto members = fixture.call("systemgroup.listSystems", {key, shop});
    CHECK(count(members, "<struct>") == 2);
    CHECK(members.contains(named("profile_name", "far4")));
    CHECK(fixture.call("systemgroup.getDetails", {key, shop})
              .contains("<name>system_count</name><value><i4>2</i4>"));
    CHECK(fixture.call("systemgroup.update", {key, shop, text("buys")}).contains("buys"));
    CHECK(fixture.call("systemgroup.listAllGroups", {key}).contains(named("description", "buys")));
    CHECK(fixture.call("system.listGroups", {key, number(1)})
              .contains("<name>subscribed</name><value><i4>1</i4>"));
    const auto response = fixture.call("system.listGroups", {key, number(1)});
    const auto details = fixture.call("systemgroup.getDetails", {key, shop});
    const std::string before_id = "<name>id</name><value><i4>";
    const auto id = details.substr(details.find(before_id) + before_id.size());
    const auto digits = id.substr(0, id.find('<'));
    CHECK(response.contains(before_id + digits + "</i4>"));
    CHECK(response.contains(named("sgid", digits)));
    CHECK(fixture.call("system.listGroups", {key, number(2)})
              .contains("<name>subscribed</name><value><i4>0</i4>"));
    fixture.call("systemgroup.addOrRemoveSystems", {key, shop, numbers({4}), flag(false)});
    CHECK(count(fixture.call("systemgroup.listSystems", {key, shop}), "<struct>") == 1);
    CHECK(fixture.call("systemgroup.delete", {key, shop}).contains("<i4>1</i4>"));
    CHECK(fixture.known.find(system_number(1))->groups.empty());
    CHECK(fixture.call("systemgroup.getDetails", {key, shop}).contains(fault_code(2201)));
}

TEST_CASE("keys are listed by what was decided about them, and decided about") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    auto waiting = xmlrpc_fixture::system(77, "new1");
    waiting.number = {};
    waiting.stage = enrolment::pooled;
    waiting.zone.clear();
    auto other = waiting;
    other.print = xmlrpc_fixture::system(78, "").print;
    other.name = "new2";
    fixture.add({waiting, other});
    CHECK(count(fixture.call("saltkey.acceptedList", {key}), "<string>") == 4);
    CHECK(count(fixture.call("saltkey.pendingList", {key}), "<string>new") == 2);
    // Two zones: nobody said into which.
    CHECK(fixture.call("saltkey.accept", {key, text("new1")}).contains("several zones"));
    auto now = std::make_shared<cluster::topology>();
    now->zones["default"] = {.name = "default"};
    fixture.places.publish(std::move(now));
    CHECK(fixture.call("saltkey.accept", {key, text("new1")}).contains("<i4>1</i4>"));
    CHECK(fixture.call("saltkey.acceptedList", {key}).contains("<string>new1</string>"));
    CHECK(fixture.call("saltkey.reject", {key, text("new2")}).contains("<i4>1</i4>"));
    CHECK(fixture.call("saltkey.rejectedList", {key}).contains("<string>new2</string>"));
    CHECK(fixture.call("saltkey.delete", {key, text("new2")}).contains("<i4>1</i4>"));
    CHECK(fixture.call("saltkey.deniedList", {key}).contains("<string>new2</string>"));
    // Who decides in one zone gets nobody's place by what a newcomer says of itself.
    auto claiming = waiting;
    claiming.print = xmlrpc_fixture::system(79, "").print;
    claiming.name = "new3";
    claiming.replaces = system_number(3);
    fixture.add({claiming});
    fixture.add_user("near", {{.role = "admin", .zone = "default"}});
    const auto near = fixture.log_in("near");
    CHECK(fixture.call("saltkey.accept", {near, text("new3")}).contains("<i4>1</i4>"));
    CHECK(fixture.known.find(system_number(3))->name == "db3");
    CHECK(fixture.known.find(claiming.print)->number != system_number(3));
    CHECK(fixture.call("saltkey.accept", {key, text("new9")})
              .contains("key of system \"new9\" not found"));
    CHECK(
        fixture.call("saltkey.accept", {key, text("*")}).contains("key of system \"*\" not found"));
}

TEST_CASE("users are listed and told in detail") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    auto users = std::make_shared<people::records<people::user_record>>();
    users->emplace(
        "ada",
        people::versioned<people::user_record>{
            {.name = "ada",
             .full_name = "Ada King Lovelace",
             .email = "ada@acme.org",
             .grants = {{.role = "viewer", .zone = ""}},
             .disabled = true}});
    auto now = std::make_shared<people::people_snapshot>();
    now->users = std::move(users);
    fixture.people.known.publish(std::move(now));
    CHECK(fixture.call("user.listUsers", {key}).contains(named("login_uc", "ADA")));
    const auto ada = fixture.call("user.getDetails", {key, text("ada")});
    CHECK(ada.contains(named("first_name", "Ada King")));
    CHECK(ada.contains(named("last_name", "Lovelace")));
    CHECK(ada.contains("<name>enabled</name><value><boolean>0</boolean>"));
    CHECK(!ada.contains("created_date"));
    CHECK(fixture.call("user.listRoles", {key, text("ada")}).contains("<string>viewer</string>"));
    CHECK(fixture.call("user.getDetails", {key, text("bob")}).contains("user \"bob\" not found"));
}

TEST_CASE("a long list comes in pieces of the same size however many systems there are") {
    xmlrpc_fixture fixture;
    constexpr std::uint32_t many = 100'000;
    std::vector<system_record> all;
    for (std::uint32_t each = 5; each <= many; ++each)
        all.push_back(xmlrpc_fixture::system(each, "host" + std::to_string(each)));
    fixture.known.apply(all);
    const auto which = fixture.api.methods().choose("system.listSystems", api::value::list{"key"});
    REQUIRE(which.has_value());
    api::caller admin{people::identity{.user = "admin"}, fixture.api_context, ""};
    admin.may = access::permissions({{.role = "admin", .zone = ""}}, access::built_in_roles());
    api::call call((*which)->operation, admin, api::value(api::value::record()));
    const auto input = run_sync(fixture.api.methods().perform(**which, call)).value();
    std::size_t told = 0;
    std::size_t largest = 0;
    for (;;) {
        const auto piece = run_sync(input.items()).value();
        if (piece.empty()) break;
        told += piece.size();
        largest = std::max(largest, piece.size());
    }
    CHECK(told == many);
    CHECK(largest <= 500);
}

TEST_CASE("a list that is too long for one write is streamed, and a short one has its length") {
    xmlrpc_fixture fixture;
    std::vector<system_record> all;
    constexpr std::uint32_t many = 3'000;
    for (std::uint32_t each = 5; each <= many; ++each)
        all.push_back(xmlrpc_fixture::system(each, "host" + std::to_string(each)));
    const auto key = fixture.log_in();
    const auto body =
        "<methodCall><methodName>system.listSystems</methodName><params><param><value>" + key
        + "</value></param></params></methodCall>";
    const auto few = fixture.send(body);
    CHECK(few.field("Content-Length") == std::to_string(few.body.size()));
    fixture.known.apply(all);
    const auto answered = fixture.send(body);
    CHECK(!answered.field("Content-Length"));
    CHECK(count(answered.body, "<struct>") == many);
    CHECK(answered.body.ends_with("</methodResponse>\n"));

    const auto packed = fixture.send(body, {.fields = {{"Accept-Encoding", "gzip"}}});
    CHECK(packed.field("Content-Encoding") == "gzip");
    CHECK(packed.body.size() < answered.body.size() / 5);
    CHECK(unpacked(packed.body) == answered.body);
    const auto short_one = fixture.send(
        "<methodCall><methodName>api.getVersion</methodName></methodCall>",
        {.fields = {{"Accept-Encoding", "gzip"}}});
    CHECK(!short_one.field("Content-Encoding"));
    const auto in_json = fixture.send(
        "",
        {.path = "/rhn/manager/api/api/getApiCallList",
         .method = "GET",
         .fields = {{"Accept-Encoding", "gzip"}}});
    CHECK(in_json.field("Content-Encoding") == "gzip");
    CHECK(unpacked(in_json.body).starts_with(R"({"success":true,"result":)"));
}

}  // namespace
}  // namespace muster::xmlrpc_api
