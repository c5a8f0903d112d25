#include "apps/agent/service/agent_resources.h"

#include "apps/agent/tasks/task_codec.h"

#include <utility>

namespace muster::agent {

result<agent_resources> open_belongings(const agent_options& options) {
    TRY(auto home, os::data_directory::open(options.data));
    TRY(auto self, load_or_make_identity(home->file(key_file)));
    TRY(auto stored, journal::open(home->file(journal_directory)));
    TRY(auto payloads, open_payloads(home->file(payload_directory), *stored));
    TRY(auto entry,
        net::tls_client::make(
            {.trusted = options.trusted, .protocols = {"http/1.1"}, .tells_trusted = true}));
    TRY(auto channel,
        net::tls_client::make(
            {.trusted = options.trusted, .protocols = {"muster/1"}, .tells_trusted = true}));
    return agent_resources{
        .home = std::move(home),
        .self = std::move(self),
        .kept = std::move(stored),
        .payloads = std::make_unique<payload_store>(std::move(payloads)),
        .entry_tls = std::move(entry),
        .channel_tls = std::move(channel)};
}

}  // namespace muster::agent
