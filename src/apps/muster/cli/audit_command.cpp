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
    "  muster audit                                        the last deeds, newest first\n"
    "  muster audit --who ann --from 2026-11-16            of one user since that day\n"
    "  muster audit --what users.add --limit 1000 -o json  by the operation's name\n"
    "  muster audit --system web1                          what was done to one system\n"
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
        add_verb(root, "audit", "Who did what, the last deed first", flags->api, chosen, [flags] {
            return list_entries(*flags);
        });
    verb->footer(examples);
    verb->add_option("--who", flags->query.user, "Only of this user")->type_name("NAME");
    verb->add_option("--what", flags->query.operation, "Only this operation, such as jobs.make")
        ->type_name("OPERATION");
    verb->add_option("--from", flags->query.from, "Not before this moment or day, in UTC")
        ->type_name("TIME");
    verb->add_option("--to", flags->query.to, "Before this moment or day, in UTC")
        ->type_name("TIME");
    verb->add_option("--system", flags->query.system, "Only what was done to this system alone")
        ->type_name("SYSTEM");
    verb->add_flag("--oldest", flags->query.oldest_first, "The first deed first");
    verb->add_option("--limit", flags->limit, "How many at most")->positive()->type_name("NUMBER");
}

}  // namespace muster::cli
