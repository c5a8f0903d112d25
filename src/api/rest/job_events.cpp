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

constexpr auto poll_interval = 200ms;   // for new results
constexpr auto record_interval = 1s;    // for the job's own state
constexpr std::size_t page_rows = 500;  // of one read

bool is_exception(const task_record& row) {
    return row.state != task_state::completed;
}

std::vector<task_state> end_states(bool include_completed) {
    std::vector<task_state> states{task_state::failed, task_state::cancelled, task_state::expired};
    if (include_completed) states.push_back(task_state::completed);
    return states;
}

}  // namespace

std::string to_string(const result_position& position) {
    auto text = std::to_string(position.sequence);
    if (position.page) text += "-" + to_hex(*position.page);
    return text;
}

std::optional<result_position> parse_result_position(std::string_view text) {
    result_position position;
    const auto dash = text.find('-');
    const auto digits = text.substr(0, dash);
    const auto* const end = digits.data() + digits.size();
    const auto [stopped, failure] = std::from_chars(digits.data(), end, position.sequence);
    if (failure != std::errc() || stopped != end || position.sequence < 0) return std::nullopt;
    if (dash == std::string_view::npos) return position;
    const auto page = from_hex(text.substr(dash + 1));
    if (!page) return std::nullopt;
    position.page = *page;
    return position;
}

async<result_position> job_events::start_position() const {
    auto& ledger = reader_.job_store().ledger();
    CO_TRY(
        const auto last,
        co_await ledger.wait_for_change(std::string(jobs::tasks_table), table::sequence(), 0ms));
    co_return result_position{.sequence = last.value(), .page = std::string()};
}

std::vector<api::parameter> job_events::parameters() {
    using namespace api;
    return {
        in_query(
            "tasks",
            text().with_choices({"failed", "all"}).with_about("tasks to report (default failed)")),
        in_query("for", text().with_about("duration after which the stream ends, such as 30s")),
        in_query("from", text().with_about("ID of the last event received"))};
}

async<reply> job_events::stream(call call, job_id job) const {
    subscription subscription{
        .job = job, .include_completed = call.optional_text("tasks") == "all"};
    if (const auto timeout = call.optional_text("for")) {
        CO_TRY(const auto span, runtime::parse_duration(*timeout));
        subscription.deadline = reader_.clock().now() + span;
    }
    const auto from = call.optional_text("from").value_or(call.last_event);
    if (from.empty()) {
        CO_TRY(
            subscription.position,
            co_await within(reader_.clock(), engine_timeout, start_position()));
    } else {
        const auto position = parse_result_position(from);
        if (!position) co_return fail(errc::invalid, "`from` must be an event ID");
        subscription.position = *position;
    }
    reply result;
    result.stream = [this, subscription](http::event_writer writer) {
        return send(writer, subscription);
    };
    co_return result;
}

http::event job_events::event_of(const task_record& row, const result_position& position) const {
    const system_number system(row.system);
    auto data = task_json(row.state, &row);
    data["kind"] = "task";
    data["system"] = row.system;
    data["name"] = targets_.name_of(system);
    data["at"] = to_string(position);
    return {.data = json::serialize(data), .name = "task", .id = to_string(position)};
}

async<std::vector<jobs::stored_task>> job_events::read_rows_after(
    job_id job, std::int64_t sequence) const {
    table::query query{
        .table = std::string(jobs::tasks_table),
        .where =
            {{.column = "job", .compare = table::comparison::equal, .values = {created_at(job)}},
             {.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = page_rows};
    CO_TRY(const auto page, co_await reader_.job_store().ledger().read(std::move(query)));
    std::vector<jobs::stored_task> rows;
    for (const auto& cells : page.rows) {
        CO_TRY(auto row, jobs::decode_task(cells));
        rows.push_back(std::move(row));
    }
    co_return rows;
}

// Sends one page. Its events carry the position before the page until the last one, so that a
// client that disconnects within the page gets all of it again.
async<job_events::page_outcome> job_events::send_results(
    http::event_writer writer, subscription subscription) const {
    page_outcome outcome{.next = subscription.position, .more = false};
    std::vector<jobs::stored_task> rows;
    if (subscription.position.page) {
        jobs::job_store::task_filter task_filter{
            .job = subscription.job, .states = end_states(subscription.include_completed)};
        auto pending_read = reader_.job_store().read_tasks(
            std::move(task_filter), *subscription.position.page, page_rows);
        CO_TRY(
            auto page, co_await within(reader_.clock(), engine_timeout, std::move(pending_read)));
        // Rows written later follow in sequence order.
        std::erase_if(page.tasks, [&](const auto& row) {
            return row.sequence > subscription.position.sequence;
        });
        rows = std::move(page.tasks);
        outcome.next.page.reset();
        if (!page.next.empty()) outcome.next.page = std::move(page.next);
        outcome.more = true;
    } else {
        auto pending_read = read_rows_after(subscription.job, subscription.position.sequence);
        CO_TRY(rows, co_await within(reader_.clock(), engine_timeout, std::move(pending_read)));
        if (!rows.empty()) outcome.next.sequence = rows.back().sequence;
        outcome.more = rows.size() == page_rows;
    }
    std::erase_if(rows, [&](const auto& row) {
        return !is_final(row.record.state)
               || (!subscription.include_completed && !is_exception(row.record));
    });
    std::ranges::partition(rows, [](const auto& row) { return is_exception(row.record); });
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const bool last = index + 1 == rows.size();
        CO_CHECK_OK(co_await writer.send(
            event_of(rows[index].record, last ? outcome.next : subscription.position)));
    }
    co_return outcome;
}

async<void> job_events::send(http::event_writer writer, subscription subscription) const {
    std::optional<std::uint64_t> seen_changes;
    std::string last_progress;
    auto next_check = reader_.clock().now();
    while (true) {
        const auto changes = reader_.task_states().changes(subscription.job);
        const bool due = reader_.clock().now()
                         >= std::min(next_check, subscription.deadline.value_or(next_check));
        if (!due && changes && changes == seen_changes) {
            CO_CHECK_OK(co_await writer.next(reader_.clock().sleep_for(poll_interval)));
            continue;
        }
        next_check = reader_.clock().now() + record_interval;
        CO_TRY(const auto detail, co_await writer.next(reader_.read(subscription.job)));
        seen_changes = detail.tasks->changes;
        for (bool more = true; more;) {
            CO_TRY(const auto page, co_await send_results(writer, subscription));
            subscription.position = page.next;
            more = page.more;
        }
        CO_TRY(const auto progress, co_await reader_.progress(detail));
        auto data = progress_json(detail.job.record, progress);
        const bool is_finished = is_final(detail.job.record.stage)
                                 || (detail.job.record.targets > 0
                                     && progress.counts.ended() == detail.job.record.targets);
        data["kind"] = is_finished ? "end" : "progress";
        data["at"] = to_string(subscription.position);
        auto text = json::serialize(data);
        if (text != last_progress) {
            http::event event{
                .data = text,
                .name = is_finished ? "end" : "progress",
                .id = to_string(subscription.position)};
            CO_CHECK_OK(co_await writer.send(std::move(event)));
            last_progress = std::move(text);
        }
        if (is_finished
            || (subscription.deadline && reader_.clock().now() >= *subscription.deadline))
            co_return result<void>();
        CO_CHECK_OK(co_await writer.next(reader_.clock().sleep_for(poll_interval)));
    }
}

}  // namespace muster::api
