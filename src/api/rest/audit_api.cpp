#include "api/rest/audit_api.h"

#include "api/operations/pagination.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "core/table/row_reader.h"
#include "ports/deadline.h"
#include "services/people/audit_tables.h"

#include <boost/json.hpp>

#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

result<json::object> entry_json(const table::row& row) {
    table::row_reader reader(people::audit_table, row);
    const auto time = reader.take<wall_time>("at");
    json::object response{{"id", reader.take<std::string>("id")}, {"at", iso_time(time)}};
    for (const auto* const column : {"who", "what", "origin", "outcome"})
        response[column] = reader.take<std::string>(column);
    response["detail"] = reader.take_optional<std::string>("detail").value_or("");
    if (const auto system = reader.take_optional<std::int64_t>("system"))
        response["system"] = *system;
    static_cast<void>(reader.take_sequence());
    CHECK_OK(reader.finish());
    return response;
}

table::condition time_condition(table::comparison compare, const std::string& iso) {
    return {.column = "at", .compare = compare, .values = {*parse_iso_time(iso)}};
}

api::shape entry_shape() {
    using namespace api;
    return record_of(
        {required("id", name()),
         required("at", api::time()),
         required("who", text()),
         required("what", name().with_about("operation name")),
         required("origin", text().with_about("address of the client")),
         required("outcome", name().with_about("done, refused, started or partly done")),
         required("detail", text(1 << 20)),
         optional("system", integer(1).with_about("number of the affected system"))});
}

}  // namespace

result<void> audit_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "audit.list",
         .summary = "List audit entries, newest first",
         .path = "/api/v1/audit",
         .takes =
             {in_query("who", name()),
              in_query("what", name().with_about("operation name, such as jobs.create")),
              in_query(
                  "system",
                  name().with_about("only entries about this system: number, fingerprint or name")),
              in_query("from", api::time()),
              in_query("to", api::time()),
              in_query(
                  "order",
                  text()
                      .with_choices({"newest", "oldest"})
                      .with_about("sort order by time (default newest)")),
              limit_parameter(),
              after_parameter()},
         .gives = page_of(entry_shape()),
         .needed = access::right::audit_read},
        handler(this, &audit_api::list));
}

// A number is used unchecked: the trail outlives the system.
result<std::int64_t> audit_api::find_number(const std::string& system) const {
    std::uint32_t parsed = 0;
    const auto* const end = system.data() + system.size();
    const auto [stopped, failure] = std::from_chars(system.data(), end, parsed);
    if (failure == std::errc() && stopped == end) return parsed;
    TRY(const auto number, systems_.find(system));
    return number.value();
}

result<table::query> audit_api::build_query(const call& call) const {
    table::query query{
        .table = std::string(people::audit_table),
        .where = {},
        .order = {"at"},
        .going = table::direction::descending,
        .after = {},
        .limit = page_limit_of(call)};
    if (call.optional_text("order") == "oldest") query.going = table::direction::ascending;
    for (const auto* const name : {"who", "what"}) {
        if (const auto text = call.optional_text(name))
            query.where.push_back(
                {.column = name, .compare = table::comparison::equal, .values = {*text}});
    }
    if (const auto system = call.optional_text("system")) {
        TRY(const auto number, find_number(*system));
        query.where.push_back(
            {.column = "system", .compare = table::comparison::equal, .values = {number}});
    }
    if (const auto from = call.optional_text("from"))
        query.where.push_back(time_condition(table::comparison::greater_or_equal, *from));
    if (const auto to = call.optional_text("to"))
        query.where.push_back(time_condition(table::comparison::less, *to));
    auto cursor = from_hex(page_start_of(call));
    if (!cursor)
        return fail(errc::invalid, "`after` must be the `next` value of the previous page");
    query.after = *std::move(cursor);
    return query;
}

async<reply> audit_api::list(call call) {
    CO_TRY(auto query, build_query(call));
    auto pending_read = call.context().engines.ledger.read(std::move(query));
    CO_TRY(const auto page, co_await within(clock_, engine_timeout, std::move(pending_read)));
    json::array items;
    for (const auto& row : page.rows) {
        CO_TRY(auto entry, entry_json(row));
        items.push_back(std::move(entry));
    }
    json::object output{{"items", std::move(items)}, {"next", nullptr}};
    if (!page.next.empty()) output["next"] = to_hex(page.next);
    co_return reply{std::move(output)};
}

}  // namespace muster::api
