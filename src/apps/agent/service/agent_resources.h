#pragma once

#include "adapters/net/tls_context.h"
#include "adapters/os/data_directory.h"
#include "apps/agent/journal/journal.h"
#include "apps/agent/service/agent_options.h"
#include "apps/agent/service/identity.h"
#include "apps/agent/tasks/payload_store.h"

#include <memory>

namespace muster::agent {

// What is in a data directory.
inline constexpr auto key_file = "agent-key.pem";
inline constexpr auto status_file = "status.json";
inline constexpr auto deleted_file = "deleted";
inline constexpr auto payload_directory = "payloads";
inline constexpr auto journal_directory = "journal";
inline constexpr auto taken_facts_record = "facts";

// What an agent has from its start to its end.
struct agent_resources {
    std::unique_ptr<os::data_directory> home;
    identity self;
    std::unique_ptr<journal> kept;
    std::unique_ptr<payload_store> payloads;
    std::shared_ptr<const net::tls_client> entry_tls;
    std::shared_ptr<const net::tls_client> channel_tls;
};

// Locks the data directory and reads or makes what is in it.
result<agent_resources> open_belongings(const agent_options& options);

}  // namespace muster::agent
