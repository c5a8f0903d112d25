#include "api/xmlrpc/methods/activation_key_methods.h"

#include "api/agent/enrol_request.h"
#include "services/fleet/enrolment_service.h"
#include "tests/fixtures/api/compat_values.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;

TEST_CASE("an activation key is made, filled, read again, and disabled by its details") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto result = fixture.call(
        "activationkey.create",
        {key, text("shop"), text("for shops"), text(""), number(5), texts({}), flag(false)});
    CHECK(result.contains("<string>1-shop</string>"));
    const auto rule = fixture.rules.current()->front().stored;
    CHECK(rule.name != fleet::old_name_of_key_rule(rule.key_digest));  // it is seen by others
    const auto shop = text("1-shop");
    CHECK(fixture
              .call(
                  "activationkey.create",
                  {key, text("shop"), text(""), text(""), texts({}), flag(false)})
              .contains(fault_code(1090)));
    CHECK(
        fixture.call("activationkey.getDetails", {key, text("1-no")}).contains(fault_code(10001)));
    fixture.call("configchannel.create", {key, text("web"), text("Web"), text("")});
    fixture.call("systemgroup.create", {key, text("tills"), text("")});
    const auto group = fixture.call("systemgroup.getDetails", {key, text("tills")});
    const auto from = group.find("<name>id</name><value><i4>") + 26;
    const auto id = std::stoll(group.substr(from));
    CHECK(fixture
              .call(
                  "activationkey.addConfigChannels",
                  {key, texts({"1-shop"}), texts({"web"}), flag(true)})
              .contains(done));
    CHECK(fixture.call("activationkey.listConfigChannels", {key, shop})
              .contains(named("label", "web")));
    CHECK(fixture.call("activationkey.addServerGroups", {key, shop, numbers({id})}).contains(done));
    CHECK(fixture.call("activationkey.addServerGroups", {key, shop, numbers({99999})})
              .contains(fault_code(2801)));
    CHECK(fixture.call("activationkey.addChildChannels", {key, shop, texts({"extras"})})
              .contains(done));
    const auto package = structure({{"name", text("nginx")}, {"arch", text("x86_64")}});
    const auto packages = "<array><data><value>" + package + "</value></data></array>";
    CHECK(fixture.call("activationkey.addPackages", {key, shop, packages}).contains(done));
    CHECK(fixture.call("activationkey.enableConfigDeployment", {key, shop}).contains(done));
    CHECK(fixture.call("activationkey.checkConfigDeployment", {key, shop}).contains("<i4>1</i4>"));
    CHECK(fixture
              .call(
                  "activationkey.setDetails",
                  {key,
                   shop,
                   structure({{"disabled", flag(true)}, {"base_channel_label", text("base")}})})
              .contains(done));
    const auto details = fixture.call("activationkey.getDetails", {key, shop});
    CHECK(details.contains(named("base_channel_label", "base")));
    CHECK(details.contains(counted("usage_limit", 5)));
    CHECK(details.contains(flagged("disabled", true)));
    CHECK(details.contains("<i4>" + std::to_string(id) + "</i4>"));
    CHECK(details.contains(named("arch", "x86_64")));
    CHECK(details.contains("<string>extras</string>"));
    fixture.call("activationkey.removePackages", {key, shop, packages});
    fixture.call("activationkey.removeServerGroups", {key, shop, numbers({id})});
    fixture.call("activationkey.removeChildChannels", {key, shop, texts({"extras"})});
    CHECK(!fixture.call("activationkey.getDetails", {key, shop}).contains("nginx"));
    CHECK(fixture.call("activationkey.delete", {key, shop}).contains(done));
    CHECK(count(fixture.call("activationkey.listActivationKeys", {key}), "<struct>") == 0);
}

TEST_CASE("one key at most is the default, and keys are shown only to who may decide about them") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    for (const char* name : {"a", "b"})
        fixture.call(
            "activationkey.create", {key, text(name), text(name), text(""), texts({}), flag(true)});
    const auto all = fixture.call("activationkey.listActivationKeys", {key});
    CHECK(count(all, flagged("universal_default", true)) == 1);
    fixture.add_user("reader", {{.role = "viewer", .zone = ""}});
    CHECK(fixture.call("activationkey.listActivationKeys", {fixture.log_in("reader")})
              .contains("keys.decide"));
}

TEST_CASE("who is accepted by hand comes into what the default key gives") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    auto now = std::make_shared<cluster::topology>();
    now->zones["default"] = {.name = "default"};
    fixture.places.publish(std::move(now));
    fixture.call("configchannel.create", {key, text("base"), text("Base"), text("")});
    fixture.call("systemgroup.create", {key, text("all"), text("")});
    fixture.call(
        "activationkey.create", {key, text("any"), text("any"), text(""), texts({}), flag(true)});
    fixture.call("activationkey.setConfigChannels", {key, texts({"1-any"}), texts({"base"})});
    auto waiting = xmlrpc_fixture::system(77, "new1");
    waiting.number = {};
    waiting.stage = enrolment::pooled;
    waiting.zone.clear();
    fixture.add({waiting});
    CHECK(fixture.call("saltkey.accept", {key, text("new1")}).contains(done));
    const auto sid = number(fixture.known.find(waiting.print)->number.value());
    CHECK(fixture.call("system.config.listChannels", {key, sid}).contains(named("label", "base")));
    CHECK(fixture.call("system.listActivationKeys", {key, sid}).contains("1-any"));
}

TEST_CASE("a system that enrols with a key comes into its groups and channels, up to its limit") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    fixture.call("configchannel.create", {key, text("web"), text("Web"), text("")});
    fixture.call(
        "activationkey.create",
        {key,
         text("shop"),
         text("shops"),
         text(""),
         number(1),
         texts({"monitoring_entitled"}),
         flag(false)});
    fixture.call("activationkey.setConfigChannels", {key, texts({"1-shop"}), texts({"web"})});
    fleet::enrolment_service door(fixture.keys, fixture.rules, {});
    const auto knock = [&](std::uint32_t who, const std::string& output) {
        auto record = xmlrpc_fixture::system(who, "new" + std::to_string(who));
        fleet::enrolment_service::enrolment_input asks{
            .request = {
                .print = record.print,
                .public_key = record.public_key,
                .name = record.name,
                .machine_id = "",
                .origin = "192.0.2.1"}};
        asks.key_digest = api::secret_digest(output);
        const auto came = run_sync(door.enrol(asks)).value();
        return std::get<fleet::enrolment_service::enrolled>(came).state;
    };
    CHECK(knock(70, "wrong") == system_state::fresh);
    CHECK(knock(71, "1-shop") == system_state::orphan);
    CHECK(knock(71, "1-shop") == system_state::orphan);  // the same again
    CHECK(knock(72, "1-shop") == system_state::fresh);   // used up
    REQUIRE(run_sync(fixture.configuration.profiles.refresh()).has_value());
    const auto came = fixture.known.find(xmlrpc_fixture::system(71, "").print).value();
    CHECK(came.accepted_by.starts_with("rule key-"));  // who sees this may not know the key
    const auto sid = number(came.number.value());
    CHECK(fixture.call("system.config.listChannels", {key, sid}).contains(named("label", "web")));
    CHECK(fixture.call("system.listActivationKeys", {key, sid}).contains("1-shop"));
    CHECK(fixture.call("system.getEntitlements", {key, sid}).contains("monitoring_entitled"));
    CHECK(
        count(fixture.call("activationkey.listActivatedSystems", {key, text("1-shop")}), "<struct>")
        == 1);
    // A deleted system makes room.
    REQUIRE(run_sync(fixture.keys.remove({came.print}, "admin")).has_value());
    CHECK(knock(72, "1-shop") == system_state::orphan);
    fixture.call(
        "activationkey.setDetails",
        {key,
         text("1-shop"),
         structure({{"unlimited_usage_limit", flag(true)}, {"disabled", flag(true)}})});
    CHECK(knock(73, "1-shop") == system_state::fresh);
}

}  // namespace
}  // namespace muster::xmlrpc_api
