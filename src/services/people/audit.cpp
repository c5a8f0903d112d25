#include "services/people/audit.h"

#include "adapters/os/random.h"
#include "base/hex.h"
#include "services/people/audit_tables.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::people {
namespace {

constexpr std::size_t id_bytes = 8;

}  // namespace

async<void> audit_trail::record(audit_entry entry) {
    const auto id = to_hex(os::random_bytes(id_bytes));
    const auto time = clock_.wall();
    const table::value detail =
        entry.detail.empty() ? table::value(table::null()) : table::value(entry.detail);
    const table::value system =
        entry.system ? table::value(*entry.system) : table::value(table::null());
    table::batch change;
    change.writes.push_back(
        {.table = std::string(audit_table),
         .rows = {{time, id, entry.who, entry.what, entry.origin, entry.outcome, detail, system}}});
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    const boost::json::object payload{
        {"id", id}, {"who", entry.who}, {"what", entry.what}, {"outcome", entry.outcome}};
    bus_.publish(
        {.subject = "muster.audit." + entry.what,
         .payload = boost::json::serialize(payload),
         .id = id});
    co_return result<void>();
}

}  // namespace muster::people
