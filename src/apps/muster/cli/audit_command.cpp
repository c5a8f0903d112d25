#include "apps/command_line/command.h"
#include "apps/muster/cli/audit_query.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/system_verbs.h"

#include <cstddef>
#include <memory>

namespace muster::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster audit                                        the last 100 entries, newest first\n"
    "  muster audit --who ann --from 2026-11-16            entries of one user since that day\n"
    "  muster audit --what users.create --limit 1000 -o json  entries of one operation\n"
    "  muster audit --system web1                          entries of one system\n"
    "  muster audit --from 2026-11-16T08:00:00Z --to 2026-11-16T09:30:00Z\n";

struct audit_flags {
    api_flags api;
    audit_query query;
    std::size_t limit = 100;
};

exit_code list_entries(const audit_flags& flags) {
    const auto path = audit_path(flags.query);
    if (!path) return print_error("audit", {exit_code::usage, path.error().detail()});
    return print_list(
        flags.api,
        {.command = "audit",
         .path = *path,
         .words = {},
         .limit = flags.limit,
         .columns = {"at", "who", "what", "outcome", "origin", "detail"}});
}

}  // namespace

void add_audit(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<audit_flags>();
    auto* verb =
        add_verb(root, "audit", "List audit entries, newest first", flags->api, chosen, [flags] {
            return list_entries(*flags);
        });
    verb->footer(examples);
    verb->add_option("--who", flags->query.user, "Only entries of this user")->type_name("NAME");
    verb->add_option(
            "--what", flags->query.operation, "Only entries of this operation, e.g. jobs.create")
        ->type_name("OPERATION");
    verb->add_option(
            "--from", flags->query.from, "Start of the period (inclusive): time or day in UTC")
        ->type_name("TIME");
    verb->add_option("--to", flags->query.to, "End of the period (exclusive): time or day in UTC")
        ->type_name("TIME");
    verb->add_option("--system", flags->query.system, "Only operations on this one system")
        ->type_name("SYSTEM");
    verb->add_flag("--oldest", flags->query.oldest_first, "List the oldest entries first");
    verb->add_option("--limit", flags->limit, "Maximum number of entries (default 100)")
        ->positive()
        ->type_name("NUMBER");
}

}  // namespace muster::cli
