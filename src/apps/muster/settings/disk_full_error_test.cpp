#include "apps/muster/server/disk_full_error.h"

#include "apps/muster/settings/server_settings.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::cli {
namespace {

error told_of(const error& failure, const std::string& ledger) {
    runtime::settings_source from;
    if (!ledger.empty()) from.entries.push_back({"ledger", ledger, "--ledger"});
    const auto read = runtime::resolve(server_settings(), {from});
    REQUIRE(read.problems.empty());
    return server::disk_full_error(failure, "ledger", read.values, "/srv/data");
}

TEST_CASE("a full disk under an engine of this process is final and told with its directory") {
    for (const auto& failure :
         {error(errc::unavailable, "COMMIT: database or disk is full"),
          error(errc::timed_out, "disk I/O error: No space left on device")}) {
        const auto response = told_of(failure, "");

        CHECK(response.code() == errc::denied);
        CHECK(response.detail().starts_with("directory /srv/data cannot be used: disk is full"));
        CHECK(response.detail().ends_with(failure.detail()));
        CHECK(told_of(failure, "sqlite:/srv/books/l.db").detail().contains("/srv/books cannot"));
    }
}

TEST_CASE("an engine on the network may get room again, and other failures stay as they are") {
    const error full(errc::unavailable, "could not extend file: No space left on device");
    const error locked(errc::unavailable, "database is locked");
    const error final_already(errc::denied, "cannot write: No space left on device");

    CHECK(told_of(full, "postgresql://muster@10.0.0.9/muster") == full);
    CHECK(told_of(locked, "") == locked);
    CHECK(told_of(final_already, "") == final_already);
}

}  // namespace
}  // namespace muster::cli
