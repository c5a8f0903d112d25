#include "apps/agent/service/belongings.h"

#include "apps/agent/tasks/task_codec.h"

#include <utility>

namespace muster::agent {

result<belongings> open_belongings(const agent_options& how) {
    TRY(auto home, os::data_directory::open(how.data));
    TRY(auto self, load_or_make_identity(home->file(key_file)));
    TRY(auto kept, journal::open(home->file(journal_directory)));
    TRY(auto payloads, open_payloads(home->file(payload_directory), *kept));
    TRY(auto entry,
        net::tls_client::make(
            {.trusted = how.trusted, .protocols = {"http/1.1"}, .tells_trusted = true}));
    TRY(auto channel,
        net::tls_client::make(
            {.trusted = how.trusted, .protocols = {"muster/1"}, .tells_trusted = true}));
    return belongings{
        .home = std::move(home),
        .self = std::move(self),
        .kept = std::move(kept),
        .payloads = std::make_unique<payload_store>(std::move(payloads)),
        .entry_tls = std::move(entry),
        .channel_tls = std::move(channel)};
}

}  // namespace muster::agent
