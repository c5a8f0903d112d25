#include "services/provisioning/activation_key_provisioner.h"

#include "api/agent/enrol_request.h"
#include "services/fleet/enrolment_service.h"
#include "tests/fixtures/api/compat_values.h"

#include <set>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

// A key that wants a package and files of newcomers.
struct shop_door : xmlrpc_fixture {
    std::string key = log_in();
    fleet::enrolment_service door{keys, rules, {}};
    configuration::deployment deployed{
        {.channels = configuration.channels,
         .files = configuration.files,
         .profiles = configuration.profiles,
         .systems = targets}};
    provisioning::activation_key_provisioner starts{
        {.profiles = configuration.profiles,
         .rules = rules,
         .deployment = deployed,
         .job_service = job_service,
         .clock = clock,
         .log = log}};

    shop_door() {
        call("configchannel.create", {key, text("web"), text("Web"), text("")});
        call(
            "configchannel.createOrUpdatePath",
            {key,
             text("web"),
             text("/etc/motd"),
             flag(false),
             structure(
                 {{"contents", text("hello")},
                  {"owner", text("root")},
                  {"group", text("root")},
                  {"permissions", text("644")}})});
        for (const char* const name : {"shop", "plain"})
            call(
                "activationkey.create",
                {key, text(name), text(name), text(""), texts({}), flag(false)});
        call("activationkey.setConfigChannels", {key, texts({"1-shop"}), texts({"web"})});
        call("activationkey.enableConfigDeployment", {key, text("1-shop")});
        call(
            "activationkey.addPackages",
            {key,
             text("1-shop"),
             "<array><data><value>" + structure({{"name", text("nginx")}})
                 + "</value></data></array>"});
    }

    system_number come(std::uint32_t who, const std::string& output) {
        auto record = xmlrpc_fixture::system(who, "new" + std::to_string(who));
        fleet::enrolment_service::enrolment_input asks{
            .request = {
                .print = record.print,
                .public_key = record.public_key,
                .name = record.name,
                .machine_id = "",
                .origin = "192.0.2.1"}};
        asks.key_digest = api::secret_digest(output);
        REQUIRE(run_sync(door.enrol(asks)).has_value());
        return known.find(record.print)->number;
    }
    void look() {
        REQUIRE(run_sync(configuration.profiles.refresh()).has_value());
        const auto looked = run_sync(starts.run_once());
        REQUIRE_MESSAGE(looked.has_value(), to_string(looked.error()));
    }
    std::vector<jobs::stored_job> made() { return run_sync(job_records.read_open()).value(); }
};

TEST_CASE("who comes by a key gets its packages and its files, once, together with others") {
    shop_door site;
    const auto first = site.come(71, "1-shop");
    const auto second = site.come(72, "1-shop");
    site.come(73, "1-plain");

    site.look();

    const auto result = site.made();
    REQUIRE(result.size() == 2);
    std::set<std::string> functions;
    for (const auto& each : result) {
        functions.insert(each.record.spec.function);
        const auto who = run_sync(site.job_records.find_targets(each.record.job)).value();
        CHECK(who.systems == fleet::system_set{first, second});
        CHECK(!each.record.spec.actor.contains("1-shop"));  // who sees this may not know the key
    }
    CHECK(functions == std::set<std::string>{"files.deploy", "packages.change"});
    REQUIRE(run_sync(site.configuration.profiles.refresh()).has_value());
    CHECK(site.configuration.profiles.unprovisioned().empty());
    site.look();
    CHECK(site.made().size() == 2);
    site.come(74, "1-shop");
    site.look();
    CHECK(site.made().size() == 4);
}

class clock_an_hour_ahead final : public clock {
public:
    instant now() const override { return real_.now(); }
    wall_time wall() const override { return real_.wall() + std::chrono::hours(1); }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }

private:
    mutable runtime::system_clock real_;
};

TEST_CASE("what a server began for newcomers and did not end is ended by another, and not twice") {
    shop_door site;
    const auto who = site.come(71, "1-shop");
    auto& profiles = site.configuration.profiles;
    const auto leave_behind = [&] {
        const auto reserved = run_sync(profiles.change(
            {who},
            [](fleet::system_profile& system_profile) -> result<void> {
                system_profile.unprovisioned = true;
                system_profile.provisioning_batch = "b1";
                return {};
            },
            "n1"));
        REQUIRE(reserved.has_value());
    };
    clock_an_hour_ahead later;
    provisioning::activation_key_provisioner other(
        {.profiles = profiles,
         .rules = site.rules,
         .deployment = site.deployed,
         .job_service = site.job_service,
         .clock = later,
         .log = site.log});
    leave_behind();
    site.look();
    CHECK(site.made().empty());  // it is not long ago: whoever took it may be at it

    REQUIRE(run_sync(other.run_once()).has_value());
    CHECK(site.made().size() == 2);
    leave_behind();  // it went down before it noted that the jobs are made
    REQUIRE(run_sync(other.run_once()).has_value());

    CHECK(site.made().size() == 2);
    CHECK_FALSE(run_sync(profiles.read_one(who)).value().needs_provisioning());
}

TEST_CASE("who was there before newcomers were told apart is none") {
    fleet::system_profile old;
    old.system = system_number(7);
    old.activation_key = "1-shop";
    old.version = 1;
    auto row = fleet::encode_profile(old);
    auto& document = std::get<std::string>(row.at(1));
    const auto at = document.find(R"("fresh":true,)");
    REQUIRE(at != std::string::npos);
    document.erase(at, 13);
    row.emplace_back(std::int64_t{1});

    const auto read = fleet::decode_profile(row);

    REQUIRE(read.has_value());
    CHECK_FALSE(read->needs_provisioning());
}

}  // namespace
}  // namespace muster::xmlrpc_api
