#include "apps/muster/cli/audit_query.h"

#include <doctest/doctest.h>

namespace muster::cli {
namespace {

TEST_CASE("a question about the audit trail asks for what was given, a day from its first moment") {
    CHECK(audit_path({}).value() == "/api/v1/audit");
    CHECK(
        audit_path({.user = "ann lee", .operation = "users.create", .from = "", .to = ""}).value()
        == "/api/v1/audit?who=ann%20lee&what=users.create");
    CHECK(
        audit_path(
            {.user = "", .operation = "", .from = "2026-11-16", .to = "2026-11-16T09:30:00Z"})
            .value()
        == "/api/v1/audit?from=2026-11-16T00%3A00%3A00Z&to=2026-11-16T09%3A30%3A00Z");
    audit_query about_one{.user = "", .operation = "", .from = "", .to = ""};
    about_one.system = "web1";
    about_one.oldest_first = true;
    CHECK(audit_path(about_one).value() == "/api/v1/audit?system=web1&order=oldest");
}

TEST_CASE("what is no moment is refused by the name of its flag") {
    for (const auto* wrong : {"yesterday", "2026-13-01", "2026-11-16T09:30", "16.11.2026"}) {
        CAPTURE(wrong);
        const auto request = audit_path({.user = "", .operation = "", .from = "", .to = wrong});
        REQUIRE_FALSE(request);
        CHECK(request.error().code() == errc::invalid);
        CHECK(request.error().detail().starts_with("--to: "));
    }
}

}  // namespace
}  // namespace muster::cli
