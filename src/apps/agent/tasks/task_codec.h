#pragma once

#include "apps/agent/journal/journal.h"
#include "apps/agent/tasks/payload_store.h"
#include "core/session/agent_tasks.h"

#include <string>
#include <vector>

namespace muster::agent {

// Tasks as records of the journal.
inline constexpr std::string_view task_record_prefix = "task/";

std::string record_id(session::task_name task);
std::string encode(const session::journaled_task& task);
result<session::journaled_task> decode_task(std::string_view bytes);

// Every task of the journal; one that cannot be read is left out and named in `damaged`.
struct journal_tasks {
    std::vector<session::journaled_task> tasks;
    std::vector<std::string> damaged;
};
journal_tasks tasks_in(const journal& journal);

// The payloads beside a journal; those of tasks it does not have are removed.
result<payload_store> open_payloads(const std::filesystem::path& directory, const journal& journal);

result<void> store(journal& into, const session::store_tasks& store_tasks);

}  // namespace muster::agent
