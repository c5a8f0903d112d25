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

async<void> audit_trail::record(audit_entry done) {
    const auto id = to_hex(os::random_bytes(id_bytes));
    const auto at = clock_.wall();
    const table::value detail =
        done.detail.empty() ? table::value(table::null()) : table::value(done.detail);
    const table::value system =
        done.system ? table::value(*done.system) : table::value(table::null());
    table::batch entry;
    entry.writes.push_back(
        {.table = std::string(audit_table),
         .rows = {{at, id, done.who, done.what, done.origin, done.outcome, detail, system}}});
    CO_CHECK_OK(co_await ledger_.write(std::move(entry)));
    const boost::json::object payload{
        {"id", id}, {"who", done.who}, {"what", done.what}, {"outcome", done.outcome}};
    bus_.announce(
        {.subject = "muster.audit." + done.what,
         .payload = boost::json::serialize(payload),
         .id = id});
    co_return result<void>();
}

}  // namespace muster::people
