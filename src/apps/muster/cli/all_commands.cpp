#include "apps/muster/cli/command_line.h"

#include <array>

namespace muster::cli {

std::span<const command> all_commands() {
    static constexpr std::array all{
        add_serve,      add_login,     add_logout,   add_whoami, add_password, add_nodes,
        add_zones,      add_keys,      add_systems,  add_search, add_groups,   add_windows,
        add_revisions,  add_schedules, add_run,      add_apply,  add_jobs,     add_job,
        add_why,        add_events,    add_webhooks, add_top,    add_cluster,  add_users,
        add_roles,      add_tokens,    add_sessions, add_audit,  add_archive,  add_config,
        add_completion, add_man,       add_version};
    return all;
}

}  // namespace muster::cli
