#include "services/schema/ledger_schema.h"

#include "services/cluster/cluster_tables.h"
#include "services/compatibility/action_tables.h"
#include "services/configuration/configuration_tables.h"
#include "services/content/content_tables.h"
#include "services/events/event_tables.h"
#include "services/fleet/fleet_tables.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/salt_views.h"
#include "services/people/audit_tables.h"
#include "services/presence/presence_tables.h"
#include "services/retention/archive_tables.h"
#include "services/revision/revision_tables.h"
#include "services/windows/window_tables.h"

#include <iterator>
#include <utility>
#include <vector>

namespace muster::schema {
namespace {

std::vector<table::step> join(std::vector<table::step> steps, std::vector<table::step> more) {
    steps.insert(
        steps.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return steps;
}

}  // namespace

table::schema ledger_schema() {
    return {
        .migrations = {
            {.version = 1,
             .description = "cluster identity and audit trail",
             .steps = join(cluster::cluster_tables(), people::audit_tables())},
            {.version = 2,
             .description = "systems and their facts",
             .steps = fleet::system_tables()},
            {.version = 3, .description = "jobs, tasks and results", .steps = jobs::job_tables()},
            {.version = 4,
             .description = "maintenance windows and recurring schedules",
             .steps = windows::window_tables()},
            {.version = 5, .description = "saved groups", .steps = fleet::saved_group_tables()},
            {.version = 6, .description = "events", .steps = events::event_tables()},
            {.version = 7,
             .description = "uncompressed small payloads, and Salt views of jobs and returns",
             .steps = join(jobs::readable_payloads(), jobs::salt_views())},
            {.version = 8,
             .description = "one sequence of new jobs and returns for Salt event readers",
             .steps = jobs::salt_events_in_one_order()},
            {.version = 9,
             .description = "archived job records",
             .steps = retention::archive_tables()},
            {.version = 10,
             .description = "configuration channels and system profiles",
             .steps = join(configuration::configuration_tables(), fleet::system_profile_tables())},
            {.version = 11,
             .description = "numeric ids and action chains of the XML-RPC API",
             .steps = compatibility::action_tables()},
            {.version = 12,
             .description = "published revisions of common data",
             .steps = revision::revision_tables()},
            {.version = 13,
             .description = "software channels, packages, errata and installed packages",
             .steps = content::content_tables()},
            {.version = 14,
             .description = "audit entries by system",
             .steps = people::audit_by_system()},
            {.version = 15,
             .description = "presence history",
             .steps = presence::presence_tables()},
            {.version = 16,
             .description = "deletable contents of configuration files",
             .steps = configuration::contents_that_can_be_forgotten()},
            {.version = 17,
             .description = "events by system",
             .steps = events::events_by_system()}}};
}

}  // namespace muster::schema
