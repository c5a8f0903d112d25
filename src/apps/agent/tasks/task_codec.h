#pragma once

#include "apps/agent/journal/journal.h"
#include "apps/agent/tasks/payload_store.h"
#include "core/session/agent_tasks.h"

#include <string>
#include <vector>

namespace muster::agent {

// Encodes tasks as journal records.
inline constexpr std::string_view task_record_prefix = "task/";

std::string record_id(session::task_name task);
std::string encode(const session::journaled_task& task);
result<session::journaled_task> decode_task(std::string_view bytes);

// All tasks of the journal; `damaged` names records that cannot be decoded.
struct journal_tasks {
    std::vector<session::journaled_task> tasks;
    std::vector<std::string> damaged;
};
journal_tasks read_tasks(const journal& journal);

// Opens the payload store of a journal; removes payloads of unknown tasks.
result<payload_store> open_payloads(const std::filesystem::path& directory, const journal& journal);

result<void> store(journal& journal, const session::store_tasks& store_tasks);

}  // namespace muster::agent
