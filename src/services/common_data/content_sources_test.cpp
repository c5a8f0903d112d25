#include "services/common_data/content_sources.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "runtime/clock.h"
#include "services/configuration/configuration_services.h"
#include "services/content/content_service.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace muster::common_data {
namespace {

using harness::run_sync;
using revision::section;

struct place {
    harness::temporary_directory home{"sources"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(home.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = home.path() / "ledger.db"}).value();

    place() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }
};

// What one server knows of channels, and which sections it has of them.
struct holder {
    content::content_number_allocator numbers;
    content::content_store store;
    content::content_service service{store, numbers};
    configuration::config_record_store records;
    revision::sources sections;

    explicit holder(place& at)
        : numbers(*at.store),
          store(*at.records, at.clock, at.log),
          records(*at.records, at.clock, at.log) {
        sections = software_sources(&store);
        for (auto& record : configuration_sources(&records)) sections.push_back(std::move(record));
    }

    const revision::source& source(const std::string& name) const {
        const auto it = std::ranges::find(sections, name, &revision::source::name);
        REQUIRE(it != sections.end());
        return *it;
    }
    section held(const std::string& name) const {
        const auto now = source(name).held();
        REQUIRE(now.has_value());
        return *now;
    }
    section recorded(const std::string& name) const {
        const auto now = run_sync(source(name).recorded());
        REQUIRE(now.has_value());
        return *now;
    }
    void make_channel(const std::string& label) {
        content::channel channel;
        channel.row.name = label;
        channel.name = label + " by name";
        channel.arch = "channel-x86_64";
        REQUIRE(run_sync(service.create(std::move(channel), "me")).has_value());
    }
    void keep(std::string_view kind, const std::string& name, const std::string& document) {
        const auto put = [document](const std::string*) -> result<std::optional<std::string>> {
            return document;
        };
        REQUIRE(run_sync(records.alter({.kind = std::string(kind), .name = name, .by = "me"}, put))
                    .has_value());
    }
};

TEST_CASE("nothing is held before it was read once, and then what is on record") {
    place here;
    holder one(here);
    holder other(here);
    for (const auto& section : one.sections) CHECK_FALSE(section.held().has_value());

    one.make_channel("shop");
    one.keep(configuration::kinds::custom_key, "rack", R"({"number":1,"description":"where"})");

    CHECK(one.held("channels").items.contains("shop"));
    CHECK(other.recorded("channels") == one.held("channels"));
    CHECK(
        other.recorded("custom-keys").items.at("rack")
        == std::string(R"({"description":"where"})"));
    for (const auto& section : other.sections) CHECK(section.held().has_value());
}

TEST_CASE("what a channel is counts, and what is brought into it does not") {
    place here;
    holder holder(here);
    holder.make_channel("shop");
    const auto before = holder.held("channels");
    const auto change = [&](const content::content_service::edit& edit) {
        REQUIRE(run_sync(holder.service.change("shop", "me", edit)).has_value());
    };

    // As a sync leaves it, and whoever asks for one.
    change([&](content::channel& of) -> result<void> {
        of.row.packages = packages::make_set({1, 2, 3});
        of.row.errata = packages::make_set({4});
        of.synced = here.clock.wall();
        of.sync_trouble = "away";
        of.sync_asked = content::sync_request{.at = here.clock.wall(), .by = "me"};
        of.schedule = "0 4 * * *";
        return {};
    });
    CHECK(holder.held("channels") == before);

    change([](content::channel& of) -> result<void> {
        of.repositories = {"repo"};
        return {};
    });
    CHECK(holder.held("channels") != before);
}

TEST_CASE("where a repository is counts") {
    place here;
    holder holder(here);
    const auto repository =
        run_sync(holder.service.create_repository("repo", "yum", "https://repo.example/x", "me"));
    REQUIRE_MESSAGE(repository.has_value(), to_string(repository.error()));
    CHECK(holder.held("repositories").items.at("repo").contains("repo.example/x"));

    const auto moved = [](content::content_repository& of) -> result<void> {
        of.url = "https://repo.example/y";
        return {};
    };
    REQUIRE(run_sync(holder.service.change_repository("repo", "me", moved)).has_value());
    CHECK(holder.held("repositories").items.at("repo").contains("repo.example/y"));
}

TEST_CASE("a stamp is another one exactly when what is held may be") {
    place here;
    holder holder(here);
    for (const auto& section : holder.sections) holder.recorded(section.name);
    const auto stamps = [&] {
        std::vector<std::shared_ptr<const void>> voids;
        for (const auto& section : holder.sections) voids.push_back(section.stamp());
        return voids;
    };
    const auto before = stamps();
    CHECK(stamps() == before);

    holder.make_channel("shop");
    const auto with_channel = stamps();
    CHECK(with_channel.front() != before.front());
    CHECK(with_channel.back() == before.back());
    holder.keep(configuration::kinds::custom_key, "rack", R"({"number":1,"description":"where"})");
    CHECK(stamps().back() != before.back());
}

TEST_CASE("a server that reads everything anew has what is on record, and forgets the rest") {
    place here;
    holder one(here);
    holder other(here);
    one.make_channel("shop");
    one.make_channel("gone");
    one.keep(configuration::kinds::group, "web", R"({"channels":["base"]})");
    for (const auto& section : other.sections) other.recorded(section.name);
    REQUIRE(run_sync(one.service.remove("gone", "me")).has_value());
    one.keep(configuration::kinds::group, "web", R"({"channels":["base","more"]})");

    for (const auto& section : other.sections) REQUIRE(run_sync(section.reload()).has_value());

    CHECK(other.held("channels") == one.held("channels"));
    CHECK_FALSE(other.held("channels").items.contains("gone"));
    CHECK(other.held("group-config").items.at("web").contains("more"));
}

}  // namespace
}  // namespace muster::common_data
