#pragma once

#include "adapters/net/tls_context.h"
#include "adapters/os/data_directory.h"
#include "apps/agent/journal/journal.h"
#include "apps/agent/service/agent_options.h"
#include "apps/agent/service/identity.h"
#include "apps/agent/tasks/payload_store.h"

#include <memory>

namespace muster::agent {

// Names in the data directory, and of the facts record in the journal.
inline constexpr auto key_file = "agent-key.pem";
inline constexpr auto status_file = "status.json";
inline constexpr auto deleted_file = "deleted";
inline constexpr auto payload_directory = "payloads";
inline constexpr auto journal_directory = "journal";
inline constexpr auto accepted_facts_record = "facts";

// What an agent owns from its start to its end.
struct agent_resources {
    std::unique_ptr<os::data_directory> home;
    agent::identity identity;
    std::unique_ptr<agent::journal> journal;
    std::unique_ptr<payload_store> payloads;
    std::shared_ptr<const net::tls_client> entry_tls;
    std::shared_ptr<const net::tls_client> channel_tls;
};

// Locks the data directory, and reads or creates its contents.
result<agent_resources> open_agent_resources(const agent_options& options);

}  // namespace muster::agent
