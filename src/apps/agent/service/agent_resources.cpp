#include "apps/agent/service/agent_resources.h"

#include "apps/agent/tasks/task_codec.h"

#include <utility>

namespace muster::agent {

result<agent_resources> open_agent_resources(const agent_options& options) {
    TRY(auto home, os::data_directory::open(options.data));
    TRY(auto identity, load_or_create_identity(home->file(key_file)));
    TRY(auto journal, agent::journal::open(home->file(journal_directory)));
    TRY(auto payloads, open_payloads(home->file(payload_directory), *journal));
    TRY(auto entry,
        net::tls_client::create(
            {.trusted = options.trusted,
             .protocols = {"http/1.1"},
             .announces_authorities = true}));
    TRY(auto channel,
        net::tls_client::create(
            {.trusted = options.trusted,
             .protocols = {"muster/1"},
             .announces_authorities = true}));
    return agent_resources{
        .home = std::move(home),
        .identity = std::move(identity),
        .journal = std::move(journal),
        .payloads = std::make_unique<payload_store>(std::move(payloads)),
        .entry_tls = std::move(entry),
        .channel_tls = std::move(channel)};
}

}  // namespace muster::agent
