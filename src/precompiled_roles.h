// precompiled_json.h and the roles that others are made of: for those that hold many of them.
#include "core/session/agent_tasks.h"
#include "precompiled_json.h"
#include "roles/cluster/topology.h"
#include "roles/fleet/fleet.h"
#include "roles/jobs/job_book.h"
#include "roles/jobs/job_ledger.h"
#include "roles/windows/window_book.h"
#include "runtime/task_group.h"
