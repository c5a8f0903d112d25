#include "roles/gateway/audit_api.h"

#include "base/hex.h"
#include "base/iso_time.h"
#include "ports/deadline.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/gateway/page.h"

#include <boost/json.hpp>

#include <charconv>
#include <utility>

namespace muster::gateway {
namespace {

namespace json = boost::json;

// The columns of the table, in its order.
enum column : std::size_t { at, id, who, what, origin, outcome, detail, system };

std::string text_in(const table::row& from, column which) {
    const auto* text = std::get_if<std::string>(&from.at(which));
    return text == nullptr ? std::string() : *text;
}

json::object deed_json(const table::row& row) {
    json::object told{
        {"id", text_in(row, id)},
        {"at", iso_time(std::get<wall_time>(row.at(at)))},
        {"who", text_in(row, who)},
        {"what", text_in(row, what)},
        {"origin", text_in(row, origin)},
        {"outcome", text_in(row, outcome)},
        {"detail", text_in(row, detail)}};
    if (const auto* const number = std::get_if<std::int64_t>(&row.at(system)))
        told["system"] = *number;
    return told;
}

table::condition at_time(table::comparison compare, const std::string& iso) {
    return {.column = "at", .compare = compare, .values = {*parse_iso_time(iso)}};
}

api::shape deed_shape() {
    using namespace api;
    return record_of(
        {required("id", name()),
         required("at", api::time()),
         required("who", text()),
         required("what", name().with_about("the operation's name")),
         required("origin", text().with_about("the address it came from")),
         required("outcome", name().with_about("done, refused, started or partly done")),
         required("detail", text(1 << 20)),
         optional("system", integer(1).with_about("the number of the one it is about"))});
}

}  // namespace

result<void> audit_api::declare(registry& to) {
    using namespace api;
    return to.add(
        {.name = "audit.list",
         .summary = "Who did what, the last deed first",
         .path = "/api/v1/audit",
         .takes =
             {in_query("who", name()),
              in_query("what", name().with_about("an operation's name, such as jobs.make")),
              in_query(
                  "system",
                  name().with_about("what was done to it alone; a number, fingerprint or name")),
              in_query("from", api::time()),
              in_query("to", api::time()),
              in_query(
                  "order",
                  text()
                      .with_choices({"newest", "oldest"})
                      .with_about("newest, the last deed first, if not given")),
              limit_parameter(),
              after_parameter()},
         .gives = page_of(deed_shape()),
         .needed = access::right::audit_read},
        done_by(this, &audit_api::list));
}

// A number is taken as it is: the trail outlives the system.
result<std::int64_t> audit_api::number_meant(const std::string& system) const {
    std::uint32_t number = 0;
    const auto* const end = system.data() + system.size();
    const auto [stopped, failure] = std::from_chars(system.data(), end, number);
    if (failure == std::errc() && stopped == end) return number;
    TRY(const auto found, find_(system));
    return found.value();
}

result<table::query> audit_api::question_of(const call& asked) const {
    table::query wanted{
        .table = std::string(cluster::audit_table),
        .where = {},
        .order = {"at"},
        .going = table::direction::descending,
        .after = {},
        .limit = page_limit_of(asked)};
    if (asked.optional_text("order") == "oldest") wanted.going = table::direction::ascending;
    for (const auto* const name : {"who", "what"}) {
        if (const auto text = asked.optional_text(name))
            wanted.where.push_back(
                {.column = name, .compare = table::comparison::equal, .values = {*text}});
    }
    if (const auto named = asked.optional_text("system")) {
        TRY(const auto number, number_meant(*named));
        wanted.where.push_back(
            {.column = "system", .compare = table::comparison::equal, .values = {number}});
    }
    if (const auto from = asked.optional_text("from"))
        wanted.where.push_back(at_time(table::comparison::greater_or_equal, *from));
    if (const auto to = asked.optional_text("to"))
        wanted.where.push_back(at_time(table::comparison::less, *to));
    auto cursor = from_hex(page_start_of(asked));
    if (!cursor) return fail(errc::invalid, "`after` must be the `next` of the page before");
    wanted.after = *std::move(cursor);
    return wanted;
}

async<reply> audit_api::list(call asked) {
    CO_TRY(auto wanted, question_of(asked));
    auto reading = asked.desk().engines.records.read(std::move(wanted));
    CO_TRY(const auto page, co_await within(time_, engine_patience, std::move(reading)));
    json::array items;
    for (const auto& each : page.rows) items.push_back(deed_json(each));
    json::object shown{{"items", std::move(items)}, {"next", nullptr}};
    if (!page.next.empty()) shown["next"] = to_hex(page.next);
    co_return reply{std::move(shown)};
}

}  // namespace muster::gateway
