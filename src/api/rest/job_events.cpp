#include "api/rest/job_events.h"

#include "base/hex.h"
#include "runtime/settings/units.h"
#include "services/jobs/job_tables.h"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

constexpr auto look = 200ms;            // for what is new
constexpr auto record_look = 1s;        // how the job as a whole stands
constexpr std::size_t page_rows = 500;  // of one look

bool is_exception(const task_record& row) {
    return row.state != task_state::completed;
}

std::vector<task_state> end_states(bool all) {
    std::vector<task_state> states{task_state::failed, task_state::cancelled, task_state::expired};
    if (all) states.push_back(task_state::completed);
    return states;
}

}  // namespace

std::string to_string(const return_position& where) {
    auto text = std::to_string(where.sequence);
    if (where.page) text += "-" + to_hex(*where.page);
    return text;
}

std::optional<return_position> parse_return_position(std::string_view text) {
    return_position read;
    const auto dash = text.find('-');
    const auto digits = text.substr(0, dash);
    const auto* const end = digits.data() + digits.size();
    const auto [stopped, failure] = std::from_chars(digits.data(), end, read.sequence);
    if (failure != std::errc() || stopped != end || read.sequence < 0) return std::nullopt;
    if (dash == std::string_view::npos) return read;
    const auto page = from_hex(text.substr(dash + 1));
    if (!page) return std::nullopt;
    read.page = *page;
    return read;
}

async<return_position> job_events::beginning() const {
    auto& records = reader_.records().records();
    CO_TRY(
        const auto last,
        co_await records.wait_for_change(std::string(jobs::tasks_table), table::sequence(), 0ms));
    co_return return_position{.sequence = last.value(), .page = std::string()};
}

std::vector<api::parameter> job_events::parameters() {
    using namespace api;
    return {
        in_query("tasks", text().with_choices({"failed", "all"}).with_about("failed if not given")),
        in_query("for", text().with_about("ends after this time in any case: 30s")),
        in_query("from", text().with_about("the id of the last event that was seen"))};
}

async<reply> job_events::answer_to(call call, job_id job) const {
    watch watch{.job = job, .all = call.optional_text("tasks") == "all"};
    if (const auto timeout = call.optional_text("for")) {
        CO_TRY(const auto span, runtime::parse_duration(*timeout));
        watch.until = reader_.clock().now() + span;
    }
    const auto from = call.optional_text("from").value_or(call.last_event);
    if (from.empty()) {
        CO_TRY(watch.from, co_await within(reader_.clock(), engine_timeout, beginning()));
    } else {
        const auto read = parse_return_position(from);
        if (!read) co_return fail(errc::invalid, "`from` must be the id of an event");
        watch.from = *read;
    }
    reply result;
    result.stream = [this, watch](http::event_writer to) {
        return send(to, watch);
    };
    co_return result;
}

http::event job_events::event_of(const task_record& row, const return_position& at) const {
    const system_number system(row.system);
    auto response = task_json(row.state, &row);
    response["kind"] = "task";
    response["system"] = row.system;
    response["name"] = targets_.name_of(system);
    response["at"] = to_string(at);
    return {.data = json::serialize(response), .name = "task", .id = to_string(at)};
}

async<std::vector<jobs::stored_task>> job_events::rows_behind(
    job_id job, std::int64_t sequence) const {
    table::query question{
        .table = std::string(jobs::tasks_table),
        .where =
            {{.column = "job", .compare = table::comparison::equal, .values = {made_at(job)}},
             {.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = page_rows};
    CO_TRY(const auto page, co_await reader_.records().records().read(std::move(question)));
    std::vector<jobs::stored_task> rows;
    for (const auto& each : page.rows) {
        CO_TRY(auto row, jobs::decode_task(each));
        rows.push_back(std::move(row));
    }
    co_return rows;
}

// One page of what is left to tell. Until it is told as a whole its events name the position before
// it, so that whoever breaks off in the middle gets all of it again rather than a part never.
async<job_events::sent_page> job_events::send_returns(http::event_writer to, watch watch) const {
    sent_page done{.next = watch.from, .more = false};
    std::vector<jobs::stored_task> rows;
    if (watch.from.page) {
        jobs::job_store::task_filter task_filter{.job = watch.job, .states = end_states(watch.all)};
        auto reading =
            reader_.records().read_tasks(std::move(task_filter), *watch.from.page, page_rows);
        CO_TRY(auto page, co_await within(reader_.clock(), engine_timeout, std::move(reading)));
        // What was written since then comes in its turn.
        std::erase_if(
            page.tasks, [&](const auto& row) { return row.sequence > watch.from.sequence; });
        rows = std::move(page.tasks);
        done.next.page.reset();
        if (!page.next.empty()) done.next.page = std::move(page.next);
        done.more = true;
    } else {
        auto reading = rows_behind(watch.job, watch.from.sequence);
        CO_TRY(rows, co_await within(reader_.clock(), engine_timeout, std::move(reading)));
        if (!rows.empty()) done.next.sequence = rows.back().sequence;
        done.more = rows.size() == page_rows;
    }
    std::erase_if(rows, [&](const auto& row) {
        return !is_end(row.record.state) || (!watch.all && !is_exception(row.record));
    });
    std::ranges::partition(rows, [](const auto& row) { return is_exception(row.record); });
    for (std::size_t n = 0; n < rows.size(); ++n) {
        const bool last = n + 1 == rows.size();
        CO_CHECK_OK(co_await to.send(event_of(rows[n].record, last ? done.next : watch.from)));
    }
    co_return done;
}

async<void> job_events::send(http::event_writer to, watch watch) const {
    std::optional<std::uint64_t> observed;
    std::string last_told;
    auto next_look = reader_.clock().now();
    while (true) {
        const auto changes = reader_.board().changes(watch.job);
        const bool due =
            reader_.clock().now() >= std::min(next_look, watch.until.value_or(next_look));
        if (!due && changes && changes == observed) {
            CO_CHECK_OK(co_await to.next(reader_.clock().sleep_for(look)));
            continue;
        }
        next_look = reader_.clock().now() + record_look;
        CO_TRY(const auto read, co_await to.next(reader_.read(watch.job)));
        observed = read.tasks->changes;
        for (bool more = true; more;) {
            CO_TRY(const auto sent, co_await send_returns(to, watch));
            watch.from = sent.next;
            more = sent.more;
        }
        const auto progress = reader_.progress(read);
        auto response = progress_json(read.job.record, progress);
        const bool over =
            is_end(read.job.record.stage)
            || (read.job.record.targets > 0 && progress.counts.ended() == read.job.record.targets);
        response["kind"] = over ? "end" : "progress";
        response["at"] = to_string(watch.from);
        auto text = json::serialize(response);
        if (text != last_told) {
            http::event event{
                .data = text, .name = over ? "end" : "progress", .id = to_string(watch.from)};
            CO_CHECK_OK(co_await to.send(std::move(event)));
            last_told = std::move(text);
        }
        if (over || (watch.until && reader_.clock().now() >= *watch.until))
            co_return result<void>();
        CO_CHECK_OK(co_await to.next(reader_.clock().sleep_for(look)));
    }
}

}  // namespace muster::api
