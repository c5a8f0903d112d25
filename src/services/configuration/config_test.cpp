#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "runtime/clock.h"
#include "runtime/metrics.h"
#include "services/configuration/config_channel_store.h"
#include "services/configuration/configuration_tables.h"
#include "services/configuration/deployment.h"
#include "services/fleet/fleet_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>

namespace muster::configuration {
namespace {

namespace json = boost::json;
using harness::run_sync;

struct shelf {
    harness::temporary_directory where{"config"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> kept =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    config_record_store records{*kept, clock, log};
    config_file_store files{*kept, clock};
    fleet::system_profile_store profiles{*kept, clock, log};
    config_channel_store channels{
        {.numbers = *store,
         .records = records,
         .files = files,
         .profiles = profiles,
         .clock = clock}};
    struct group_members final : fleet::system_selector {
        std::map<std::string, fleet::system_set> groups;
        std::map<std::string, fleet::system_set> labelled;

        result<fleet::system_set> resolve(const std::string& query) const override {
            const auto it = groups.find(query.substr(std::string_view("group:").size()));
            return it == groups.end() ? fleet::system_set() : it->second;
        }
        bool has_label(system_number system, const std::string& group) const override {
            const auto it = labelled.find(group);
            return it != labelled.end() && it->second.contains(system);
        }
    };
    group_members selector;
    deployment deployed{
        {.channels = channels, .files = files, .profiles = profiles, .systems = selector}};

    shelf() {
        REQUIRE(run_sync(kept->migrate(schema::ledger_schema())).has_value());
        REQUIRE(run_sync(records.refresh()).has_value());
    }

    channel add(const std::string& label) {
        return run_sync(channels.add({.label = label, .name = label}, "ada")).value();
    }
    config_file put(const std::string& holder, const std::string& path, std::string content) {
        config_file_store::new_revision new_revision{
            .how = {.owner = "root"}, .content = std::move(content)};
        return run_sync(files.put(holder, path, std::move(new_revision))).value();
    }
    void give_group(const std::string& group, std::vector<std::string> labels) {
        const auto set = [labels](std::vector<std::string>) {
            return labels;
        };
        REQUIRE(run_sync(channels.change_group(group, set, "ada")).has_value());
    }
    void give(std::vector<system_number> systems, std::vector<std::string> labels) {
        const auto set = [labels](fleet::system_profile& system_profile) -> result<void> {
            system_profile.config_channels = labels;
            return {};
        };
        REQUIRE(run_sync(profiles.change(std::move(systems), set, "ada")).has_value());
    }
};

TEST_CASE("channels have labels and numbers of their own, and are seen by whoever follows") {
    shelf here;
    const auto web = here.add("web");
    const auto db = here.add("db");
    CHECK(web.number != db.number);
    CHECK(
        run_sync(here.channels.add({.label = "web", .name = "again"}, "bob")).error().code()
        == errc::conflict);
    for (const char* wrong : {"", "a b", "a/b", "ä"})
        CHECK(
            run_sync(here.channels.add({.label = wrong, .name = "x"}, "bob")).error().code()
            == errc::invalid);
    config_record_store elsewhere(*here.kept, here.clock, here.log);
    REQUIRE(run_sync(elsewhere.refresh()).has_value());
    CHECK(decode_channel(elsewhere.find(kinds::channel, "web")->document).value() == web);
    CHECK(here.channels.find_number(db.number).value() == db);
    CHECK(here.channels.find("mail").error().code() == errc::not_found);
}

TEST_CASE("records and profiles that cannot be read are passed over, and hide no others") {
    shelf here;
    record strange{.kind = "channel", .name = "strange", .document = "{}", .version = 0};
    auto torn = fleet::encode_profile({.system = system_number(1), .name = "one", .version = 1});
    torn.at(1) = std::string("no JSON");
    table::batch change;
    change.writes.push_back(
        {.table = std::string(config_records_table), .rows = {encode_record(strange)}});
    change.writes.push_back(
        {.table = std::string(fleet::system_profiles_table),
         .rows = {
             std::move(torn),
             fleet::encode_profile({.system = system_number(2), .name = "two", .version = 1})}});
    REQUIRE(run_sync(here.kept->write(std::move(change))).has_value());
    here.add("web");

    config_record_store elsewhere(*here.kept, here.clock, here.log);
    REQUIRE(run_sync(elsewhere.refresh()).has_value());
    REQUIRE(run_sync(here.profiles.refresh()).has_value());
    CHECK(elsewhere.find(kinds::channel, "web").has_value());
    CHECK(elsewhere.all_of(kinds::channel)->size() == 1);
    CHECK(here.profiles.name_of(system_number(2)) == "two");
    runtime::metrics metrics;
    elsewhere.export_to(metrics);
    here.profiles.export_to(metrics);
    CHECK(metrics.text().contains(R"(muster_rows_unreadable_total{table="config_records"} 1)"));
    CHECK(metrics.text().contains(R"(muster_rows_unreadable_total{table="system_profiles"} 1)"));
}

TEST_CASE("a file has revisions; the same again is none, and a removed one goes on counting") {
    shelf here;
    const auto holder = held_by_channel(1);
    CHECK(here.put(holder, "/etc/motd", "one").newest().revision == 1);
    CHECK(here.put(holder, "/etc/motd", "one").newest().revision == 1);
    const auto second = here.put(holder, "/etc/motd", "two");
    CHECK(second.newest().revision == 2);
    CHECK(run_sync(here.files.content(second.find(1)->digest)).value() == "one");
    CHECK(run_sync(here.files.content(second.newest().digest)).value() == "two");
    REQUIRE(run_sync(here.files.remove(holder, {"/etc/motd"})).has_value());
    CHECK(run_sync(here.files.list(holder)).value().empty());
    CHECK(run_sync(here.files.read(holder, "/etc/motd")).error().code() == errc::not_found);
    CHECK(here.put(holder, "/etc/motd", "three").newest().revision == 3);
    config_file_store::new_revision late{.how = {.revision = 3}, .content = "four"};
    CHECK(run_sync(here.files.put(holder, "/etc/motd", late)).error().code() == errc::conflict);
}

TEST_CASE("a file keeps its last revisions only, and no file is too large") {
    shelf here;
    const auto holder = held_by_channel(1);
    for (std::size_t n = 0; n < file_limits::revisions_max + 3; ++n)
        here.put(holder, "/f", std::to_string(n));
    const auto file = run_sync(here.files.read(holder, "/f")).value();
    CHECK(file.revisions.size() == file_limits::revisions_max);
    CHECK(file.find(1) == nullptr);
    config_file_store::new_revision large{
        .how = {}, .content = std::string(file_limits::content_bytes_max + 1, 'x')};
    CHECK(run_sync(here.files.put(holder, "/g", large)).error().code() == errc::invalid);
}

TEST_CASE("paths that lead elsewhere are refused") {
    for (const char* wrong :
         {"", "/", "etc", "/etc/", "//etc", "/etc/../x", "/./etc", "/a\nb", "/\xff"})
        CHECK(check_path(wrong).error().code() == errc::invalid);
    CHECK(check_path("/etc/..hidden/...").has_value());
}

TEST_CASE("a removed channel goes with its files, from systems and from groups") {
    shelf here;
    const auto web = here.add("web");
    here.put(held_by_channel(web.number), "/etc/motd", "one");
    here.give({system_number(7), system_number(8)}, {"web"});
    here.give_group("shop", {"web"});
    CHECK(here.channels.groups_with("web") == std::vector<std::string>{"shop"});
    CHECK(here.profiles.with_channel("web").size() == 2);
    REQUIRE(run_sync(here.channels.remove("web", "ada")).has_value());
    CHECK(here.channels.find("web").error().code() == errc::not_found);
    CHECK(run_sync(here.files.list(held_by_channel(web.number))).value().empty());
    CHECK(here.profiles.with_channel("web").empty());
    CHECK(here.channels.of_group("shop").empty());
    CHECK(run_sync(here.profiles.read_one(system_number(7))).value().config_channels.empty());
}

TEST_CASE("the strongest that has a path gives it: the system, its channels, then its groups'") {
    shelf here;
    const auto own = system_number(7);
    const auto web = held_by_channel(here.add("web").number);
    const auto base = held_by_channel(here.add("base").number);
    const auto shop = held_by_channel(here.add("shop").number);
    for (const auto& holder : {web, base, shop, held_by_system(7)})
        here.put(holder, "/etc/" + holder.substr(0, 6), holder);
    here.put(base, "/etc/both", "of base");
    here.put(web, "/etc/both", "of web");
    here.put(shop, "/etc/both", "of shop");
    here.put(web, "/etc/own", "of web");
    here.put(held_by_system(7), "/etc/own", "of the system");
    here.give({own, system_number(8)}, {"web", "base"});
    here.give_group("shops", {"shop", "web"});
    here.selector.groups["shops"].add(own);
    CHECK(
        run_sync(here.deployed.channels_of(own)).value()
        == std::vector<std::string>{"web", "base", "shop"});
    const deployment::choice all{.by_expression = true};
    const auto parts = run_sync(here.deployed.plan({own, system_number(8)}, all)).value().parts;
    CHECK(parts.size() == 2);  // only one of them has files of its own
    for (const auto& part : parts) {
        const bool first = part.systems.contains(own);
        for (const auto& file : part.files) {
            if (file.path == "/etc/own") CHECK(file.holder == (first ? held_by_system(7) : web));
            if (file.path == "/etc/both") CHECK(file.holder == web);
        }
    }
}

TEST_CASE("systems with the same files are one part, and files that are too many are split") {
    shelf here;
    const auto web = held_by_channel(here.add("web").number);
    const std::string large(file_limits::content_bytes_max, 'x');
    for (int n = 0; n < 20; ++n) here.put(web, "/etc/f" + std::to_string(n), large);
    std::vector<system_number> many;
    for (int n = 1; n <= 100; ++n) many.emplace_back(n);
    here.give(many, {"web"});
    const auto parts = run_sync(here.deployed.plan(many, {})).value().parts;
    REQUIRE(parts.size() == 1);
    CHECK(parts.front().systems.size() == 100);
    CHECK(parts.front().files.size() == 20);
    const auto arguments =
        run_sync(here.deployed.arguments_of(parts.front().files, deployment::mode::compare))
            .value();
    std::size_t files = 0;
    for (const auto& argument : arguments) {
        CHECK(argument.size() < std::size_t{1000} * 1024);
        const auto parsed = json::parse(argument);
        CHECK(parsed.at("test").as_bool());
        files += parsed.at("files").as_array().size();
    }
    CHECK(arguments.size() > 1);
    CHECK(files == 20);
    const deployment::choice choice{.channel = "web", .paths = {"/etc/f3"}};
    CHECK(run_sync(here.deployed.plan(many, choice)).value().parts.front().files.size() == 1);
    const deployment::choice none{.channel = "mail"};
    CHECK(run_sync(here.deployed.plan(many, none)).value().parts.empty());
}

TEST_CASE("who looks at some zones reaches no file by a group's expression, and all by its label") {
    shelf here;
    const auto who = system_number(7);
    const auto secret = held_by_channel(here.add("secret").number);
    const auto web = held_by_channel(here.add("web").number);
    here.put(secret, "/etc/shadowy", "s3cret");
    here.put(web, "/etc/motd", "hello");
    here.give({who}, {"web"});
    here.give_group("vault", {"secret"});
    here.selector.groups["vault"].add(who);
    const deployment::choice all{.looks_at = access::extent::zones};
    const deployment::choice motd{.paths = {"/etc/motd"}, .looks_at = access::extent::zones};

    const deployment::choice choice{.by_expression = true};
    CHECK(run_sync(here.deployed.plan({who}, choice)).value().parts.front().files.size() == 2);
    const auto refused = run_sync(here.deployed.plan({who}, all));
    REQUIRE(!refused);
    CHECK(refused.error().code() == errc::denied);
    CHECK(refused.error().detail().contains("secret"));
    CHECK(run_sync(here.deployed.plan({who}, motd)).value().parts.front().files.size() == 1);
    here.selector.labelled["vault"].add(who);
    CHECK(run_sync(here.deployed.plan({who}, all)).value().parts.front().files.size() == 2);
}

TEST_CASE("what comes by a group's expression is left out unless it is asked for") {
    shelf here;
    const auto web = held_by_channel(here.add("web").number);
    const auto secret = held_by_channel(here.add("secret").number);
    const auto weak = held_by_channel(here.add("weak").number);
    here.put(web, "/etc/motd", "hello");
    here.put(secret, "/etc/shadowy", "s3cret");
    here.put(weak, "/etc/shadowy", "of a weaker group");
    const auto tagged = system_number(7);
    const auto input = system_number(8);
    here.give({tagged}, {"web"});
    here.give({input}, {"web", "secret"});
    here.give_group("vault", {"secret"});
    here.give_group("workshop", {"weak"});
    for (const auto each : {tagged, input}) here.selector.groups["vault"].add(each);
    here.selector.groups["workshop"].add(tagged);
    here.selector.labelled["workshop"].add(tagged);

    const auto safe = run_sync(here.deployed.plan({tagged, input}, {})).value();
    CHECK(safe.left_out == fleet::system_set{tagged});
    REQUIRE(safe.parts.size() == 2);
    for (const auto& part : safe.parts)
        CHECK(part.files.size() == (part.systems.contains(input) ? 2U : 1U));
    const deployment::choice all{.by_expression = true};
    const auto whole = run_sync(here.deployed.plan({tagged, input}, all)).value();
    CHECK(whole.left_out.empty());
    REQUIRE(whole.parts.size() == 1);
    CHECK(whole.parts.front().files.size() == 2);
}

TEST_CASE("a plan for many systems lets others run") {
    shelf here;
    here.put(held_by_channel(here.add("web").number), "/etc/motd", "hello");
    here.give_group("all", {"web"});
    std::vector<system_number> many;
    for (int n = 1; n <= 2'000; ++n) many.emplace_back(n);
    here.selector.groups["all"] = fleet::system_set::range(many.front(), many.back());
    here.selector.labelled["all"] = here.selector.groups["all"];

    boost::asio::io_context loop;
    std::optional<result<deployment::outline>> outline;
    std::size_t others = 0;
    const auto end = [&](const std::exception_ptr&, result<deployment::outline> input) {
        outline.emplace(std::move(input));
    };
    boost::asio::co_spawn(loop, here.deployed.plan(many, {}), end);
    // Runs whenever the plan lets it: as often as the plan gives way at least.
    while (!outline && loop.run_one() > 0) ++others;
    REQUIRE(outline.has_value());
    REQUIRE(outline->has_value());
    CHECK(outline->value().parts.front().systems.size() == many.size());
    CHECK(others > 2 * many.size() / 500);
}

TEST_CASE("of two who change a group's channels at once, neither loses what the other wrote") {
    shelf here;
    here.add("web");
    here.add("db");
    config_record_store other_records(*here.kept, here.clock, here.log);
    config_channel_store elsewhere(
        {.numbers = *here.store,
         .records = other_records,
         .files = here.files,
         .profiles = here.profiles,
         .clock = here.clock});
    const auto with = [](std::string label) {
        return [label](std::vector<std::string> now) {
            return add_channels(std::move(now), {label}, list_end::back);
        };
    };

    REQUIRE(run_sync(here.channels.change_group("shop", with("web"), "ada")).has_value());
    // The other has never looked.
    REQUIRE(run_sync(elsewhere.change_group("shop", with("db"), "bob")).has_value());
    REQUIRE(run_sync(here.records.refresh()).has_value());
    CHECK(here.channels.of_group("shop") == std::vector<std::string>{"web", "db"});
    CHECK(run_sync(here.channels.has_any("shop")).value());
    CHECK_FALSE(run_sync(here.channels.has_any("bank")).value());
}

TEST_CASE("what people write down about a system is read by others, and its limits hold") {
    shelf here;
    const auto who = system_number(3);
    const auto write = [](fleet::system_profile& system_profile) -> result<void> {
        system_profile.name = "front desk";
        system_profile.values["owner"] = "Ada";
        system_profile.locked = true;
        system_profile.notes.push_back(
            {.number = ++system_profile.last_note, .subject = "s", .text = "t", .user = "ada"});
        return {};
    };
    REQUIRE(run_sync(here.profiles.change({who}, write, "ada")).has_value());
    fleet::system_profile_store elsewhere(*here.kept, here.clock, here.log);
    REQUIRE(run_sync(elsewhere.refresh()).has_value());
    CHECK(elsewhere.name_of(who) == "front desk");
    CHECK(elsewhere.is_locked(who));
    CHECK(elsewhere.with_value("owner").contains(who));
    CHECK(
        run_sync(elsewhere.read_one(who)).value() == run_sync(here.profiles.read_one(who)).value());
    const auto unlock = [](fleet::system_profile& system_profile) -> result<void> {
        system_profile.locked = false;
        system_profile.values.clear();
        return {};
    };
    REQUIRE(run_sync(elsewhere.change({who}, unlock, "bob")).has_value());
    REQUIRE(run_sync(here.profiles.refresh()).has_value());
    CHECK(!here.profiles.is_locked(who));
    CHECK(here.profiles.with_value("owner").empty());
    const auto too_long = [](fleet::system_profile& system_profile) -> result<void> {
        system_profile.values["x"] = std::string(fleet::profile_limits::text_bytes_max + 1, 'x');
        return {};
    };
    CHECK(run_sync(here.profiles.change({who}, too_long, "ada")).error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::configuration
