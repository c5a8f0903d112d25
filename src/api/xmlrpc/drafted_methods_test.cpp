// Methods of the compatible API that change common data, within an editing session and without.

#include "api/rest/draft_change_executor.h"
#include "api/rest/draft_interceptor.h"
#include "tests/fixtures/api/compat_values.h"

#include <boost/json.hpp>

namespace muster::xmlrpc_api {
namespace {

using namespace test;
namespace json = boost::json;

// A server where the user admin, who calls, may edit common data.
struct edited_site : xmlrpc_fixture {
    struct no_peers final : net::tls_client_source {
        result<std::shared_ptr<const net::tls_client>> current() const override {
            return fail(errc::unavailable, "there is one server");
        }
    };
    struct no_reconciler final : runtime::wakeup {
        void wake() override {}
    };
    no_peers tls;
    no_reconciler reconciler;
    api::operation_lookup methods = [this](std::string_view name, const api::value& arguments) {
        return api.methods().find_operation(name, arguments);
    };
    api::leader_client line{
        {.operations = checks,
         .authenticator = desk,
         .clock = clock,
         .tls = tls,
         .others = methods}};
    revision::edit_lock seat{
        {.metastore = *store, .clock = clock, .log = log},
        {.server = "here", .address = "here:8443"}};
    revision::draft_service drafts{*store, clock, {}};
    api::draft_interceptor gate{
        {.metastore = *store,
         .lock = seat,
         .drafts = drafts,
         .leader = line,
         .clock = clock,
         .log = log,
         .server = "here",
         .reconciler = reconciler,
         .others = methods}};
    api::draft_change_executor executor{
        {.operations = checks, .authenticator = desk, .others = methods}};
    std::string key = log_in();

    edited_site() {
        checks.set_interceptor(gate);
        people::records<people::user_record> users;
        users["admin"] = {.record = {.name = "admin", .grants = {{.role = "admin", .zone = ""}}}};
        people::people_snapshot known_people;
        known_people.users =
            std::make_shared<const people::records<people::user_record>>(std::move(users));
        people.known.publish(
            std::make_shared<const people::people_snapshot>(std::move(known_people)));
    }

    std::string begin(const std::string& user = "admin") {
        auto match = run_sync(seat.lead());
        REQUIRE(match.has_value());
        auto result = run_sync(drafts.begin(*match->own, user, ""));
        REQUIRE(result.has_value());
        return result->editor.id;
    }
    static wish within(const std::string& edit) { return {.fields = {{"Muster-Edit", edit}}}; }
    std::vector<std::string> channel(const std::string& label) const {
        return {
            key, text(label), text(label + " by name"), text(""), text("channel-x86_64"), text("")};
    }
    std::vector<revision::draft_change> changes() {
        auto all = run_sync(drafts.changes());
        REQUIRE(all.has_value());
        return *std::move(all);
    }
    void carry_all_out() {
        for (const auto& change : changes()) {
            const auto done = run_sync(executor.execute(change));
            CHECK_MESSAGE(done.has_value(), to_string(done.error()));
        }
    }
    bool has_channel(const std::string& label) {
        return call("channel.listSoftwareChannels", {key}).contains(text(label));
    }
};

TEST_CASE("without an editing session a method does what it says, and answers as ever") {
    edited_site site;

    CHECK(site.call("channel.software.create", site.channel("shop")).contains(done));
    const auto repository = site.call(
        "channel.software.createRepo",
        {site.key, text("repo"), text("yum"), text("https://repo.example/shop")});
    CHECK(repository.contains(named("label", "repo")));
    CHECK(site.call("channel.software.associateRepo", {site.key, text("shop"), text("repo")})
              .contains(named("label", "shop")));
    CHECK(site.call("configchannel.create", {site.key, text("base"), text("Base"), text("")})
              .contains(named("label", "base")));
    CHECK(site.call("system.custominfo.createKey", {site.key, text("rack"), text("where")})
              .contains(done));

    CHECK(site.has_channel("shop"));
    CHECK(site.changes().empty());
}

TEST_CASE("within an editing session a method becomes a change of the draft, done when applied") {
    edited_site site;
    const auto edit = site.begin();
    const auto how = edited_site::within(edit);

    const auto response = site.call("channel.software.create", site.channel("shop"), how);
    CHECK(response.contains(named("edit", edit)));
    CHECK(response.contains(named("operation", "channel.software.create")));
    site.call(
        "channel.software.createRepo",
        {site.key, text("repo"), text("yum"), text("https://repo.example/shop")},
        how);
    site.call("channel.software.associateRepo", {site.key, text("shop"), text("repo")}, how);
    site.call("configchannel.create", {site.key, text("base"), text("Base"), text("")}, how);
    site.call("system.custominfo.createKey", {site.key, text("rack"), text("where")}, how);
    site.call("systemgroup.create", {site.key, text("web"), text("by hand")}, how);

    const auto drafted = site.changes();
    REQUIRE(drafted.size() == 6);
    CHECK(drafted[0].section == "channels");
    CHECK(drafted[0].name == "shop");
    CHECK(drafted[1].section == "repositories");
    CHECK(drafted[3].section == "config-channels");
    CHECK(drafted[4].section == "custom-keys");
    // What is read with the session's name is as ever, and nothing of the draft is there yet.
    CHECK_FALSE(site.call("channel.listSoftwareChannels", {site.key}, how).contains(text("shop")));

    site.carry_all_out();

    CHECK(site.has_channel("shop"));
    CHECK(site.call("channel.software.listChannelRepos", {site.key, text("shop")})
              .contains("https://repo.example/shop"));
    CHECK(site.call("configchannel.listGlobals", {site.key}).contains(named("label", "base")));
    CHECK(site.call("system.custominfo.listAllKeys", {site.key}).contains(named("label", "rack")));
    CHECK(site.call("systemgroup.listAllGroups", {site.key}).contains(named("name", "web")));
}

TEST_CASE("with JSON a method becomes a change of the draft, too") {
    edited_site site;
    const auto edit = site.begin();
    const auto login = site.send(
        R"({"login":"admin","password":"correct horse"})", {.path = "/rhn/manager/api/auth/login"});
    const std::string cookie(login.field("Set-Cookie").value());

    const auto answered = site.send(
        R"({"keyLabel":"rack","keyDescription":"where"})",
        {.path = "/rhn/manager/api/system/custominfo/createKey",
         .cookie = cookie.substr(0, cookie.find(';')),
         .fields = {{"Muster-Edit", edit}}});

    CHECK(answered.status == 200);
    CHECK(json::parse(answered.body).at("result").at("change").at("name") == "rack");
    CHECK(site.changes().size() == 1);
}

TEST_CASE("while somebody edits, a method without their session is refused, and the rest goes on") {
    edited_site site;
    CHECK(site.call("channel.software.create", site.channel("shop")).contains(done));
    site.begin("anna");

    const auto refused = site.call("channel.software.delete", {site.key, text("shop")});
    CHECK(refused.contains("fault"));
    CHECK(refused.contains("edited by anna since"));
    CHECK(site.has_channel("shop"));
    CHECK(site.call("channel.software.syncRepo", {site.key, text("shop")})
              .contains("has no repository"));
    CHECK(site.call("system.addNote", {site.key, number(1), text("a"), text("b")}).contains(done));
}

TEST_CASE("what a draft cannot hold is refused, and stands nowhere") {
    edited_site site;
    const auto how = edited_site::within(site.begin());
    const auto refused = [&](const std::string& method, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), site.key);
        const auto response = site.call(method, arguments, how);
        CAPTURE(response);
        CHECK(response.contains("fault"));
        return response;
    };

    CHECK(refused("system.addNote", {number(1), text("a"), text("b")}).contains("Muster-Edit"));
    CHECK(refused("activationkey.delete", {text("1-web")}).contains("is a secret"));
    CHECK(refused(
              "configchannel.create",
              {text("base"),
               text("Base"),
               text(""),
               text("state"),
               structure({{"contents", "<base64>AAEC</base64>"}})})
              .contains("bytes"));
    CHECK(refused("configchannel.create", {text("base"), text("Base"), text(""), text("state")})
              .contains("several steps"));
    CHECK(refused("systemgroup.delete", {text("web")}).contains("several steps"));
    CHECK(refused(
              "channel.software.createRepo",
              {text("repo"),
               text("yum"),
               text("https://mirror.example/"),
               text(""),
               text(""),
               text("a client's key")})
              .contains("is a secret"));
    CHECK(refused("unicast.system.custominfo.createKey", {number(1), text("rack"), text("x")})
              .contains("to all servers"));
    CHECK(site.changes().empty());
}

}  // namespace
}  // namespace muster::xmlrpc_api
