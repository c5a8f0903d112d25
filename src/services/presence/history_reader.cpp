#include "services/presence/history_reader.h"

#include "ports/deadline.h"
#include "services/presence/history_rows.h"
#include "services/presence/presence_tables.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace muster::presence::history {
namespace {

using namespace std::chrono_literals;
using table::comparison;

constexpr auto timeout = 5s;
// A chapter that reaches into the time that is asked for began no earlier than so long before it.
constexpr auto reach = chapter_length + 1h;
constexpr std::size_t page_rows = 2'000;
constexpr std::size_t asked_at_once = 500;

table::condition where(std::string column, comparison comparison, table::value with) {
    return {.column = std::move(column), .compare = comparison, .values = {std::move(with)}};
}

table::query rows_of(std::string_view table, std::string column, wall_time from, wall_time until) {
    return {
        .table = std::string(table),
        .where =
            {where(column, comparison::greater_or_equal, from),
             where(column, comparison::less, until)},
        .order = {column},
        .limit = page_rows};
}

}  // namespace

async<table::page> reader::page_of(table::query question) const {
    auto reading = ledger_.read(std::move(question));
    co_return co_await within(clock_, timeout, std::move(reading));
}

// Shortens the time that is asked for when there are too many.
async<std::vector<chapter>> reader::read_chapters(question* what) const {
    std::vector<chapter> chapters;
    auto question = rows_of(presence_chapters_table, "opened", what->since - reach, what->until);
    do {
        CO_TRY(auto page, co_await page_of(question));
        for (const auto& row : page.rows) {
            CO_TRY(const auto read, decode_chapter(row));
            chapters.push_back(read);
        }
        question.after = std::move(page.next);
    } while (!question.after.empty() && chapters.size() < limits::chapters_max);
    if (question.after.empty()) co_return chapters;
    what->until = chapters.back().opened;
    if (what->until <= what->since)
        co_return fail(errc::unavailable, "the record has too many chapters to be read");
    std::erase_if(chapters, [&](const chapter& chapter) { return chapter.opened >= what->until; });
    co_return chapters;
}

// Who was attached when a node's record began, for those that go on from no other one.
async<void> reader::read_beginnings(draft* draft) const {
    std::map<std::pair<wall_time, node_number>, const ordered_period*> ordered_periods;
    for (const auto& each : draft->chapters)
        if (each.begins) ordered_periods[{each.what.opened, each.what.node}] = &each;
    std::vector<table::value> times;
    for (const auto& [key, each] : ordered_periods)
        if (times.empty() || times.back() != table::value(key.first)) times.emplace_back(key.first);
    for (std::size_t at = 0; at < times.size(); at += asked_at_once) {
        const auto count = std::min(asked_at_once, times.size() - at);
        const auto first = times.begin() + static_cast<std::ptrdiff_t>(at);
        table::query question{
            .table = std::string(presence_sets_table),
            .where =
                {where("kind", comparison::equal, static_cast<std::int64_t>(set_kind::present)),
                 {.column = "opened",
                  .compare = comparison::one_of,
                  .values = {first, first + static_cast<std::ptrdiff_t>(count)}}},
            .order = {"opened"},
            .limit = page_rows};
        do {
            CO_TRY(auto page, co_await page_of(question));
            for (const auto& row : page.rows) {
                CO_TRY(const auto set, decode_set(row));
                const auto chapter = ordered_periods.find({set.opened, set.node});
                if (chapter == ordered_periods.end()) continue;
                draft->said.push_back(
                    beginning_of(*chapter->second, set.systems.contains(draft->what.system)));
            }
            question.after = std::move(page.next);
        } while (!question.after.empty());
    }
    co_return result<void>();
}

// The chapters in which the system may have come or gone, the oldest first.
async<std::vector<ordered_period>> reader::read_eventful(draft* draft) const {
    std::set<std::pair<wall_time, node_number>> calm;
    auto question =
        rows_of(presence_sets_table, "opened", draft->what.since - reach, draft->what.until);
    question.where.push_back(
        where("kind", comparison::equal, static_cast<std::int64_t>(set_kind::changed)));
    do {
        CO_TRY(auto page, co_await page_of(question));
        for (const auto& row : page.rows) {
            CO_TRY(const auto set, decode_set(row));
            if (!set.systems.contains(draft->what.system)) calm.insert({set.opened, set.node});
        }
        question.after = std::move(page.next);
    } while (!question.after.empty());
    std::vector<ordered_period> eventful;
    for (const auto& chapter : draft->chapters)
        if (!calm.contains({chapter.what.opened, chapter.what.node})) eventful.push_back(chapter);
    std::ranges::sort(eventful, {}, [](const auto& each) { return each.what.opened; });
    co_return eventful;
}

async<std::size_t> reader::read_changes_of(draft* draft, ordered_period whose) const {
    std::size_t rows = 0;
    table::query question{
        .table = std::string(presence_changes_table),
        .where =
            {where("node", comparison::equal, whose.what.node.value()),
             where("at", comparison::greater, whose.what.opened),
             where("at", comparison::less_or_equal, whose.what.until)},
        .order = {"at"},
        .limit = page_rows};
    do {
        CO_TRY(auto page, co_await page_of(question));
        for (const auto& row : page.rows) {
            CO_TRY(const auto change, decode_change(row));
            if (change.systems.contains(draft->what.system))
                draft->said.push_back(said_by(change, draft->what.system, whose.what.opened));
        }
        rows += page.rows.size();
        question.after = std::move(page.next);
    } while (!question.after.empty());
    co_return rows;
}

async<void> reader::read_changes(draft* draft) const {
    CO_TRY(const auto eventful, co_await read_eventful(draft));
    std::size_t rows = 0;
    for (const auto& each : eventful) {
        // Some of what was asked for is always answered, so that asking on comes to an end.
        if (rows > limits::changes_max && each.what.opened > draft->what.since) {
            draft->what.until = each.what.opened;
            break;
        }
        CO_TRY(const auto more, co_await read_changes_of(draft, each));
        rows += more;
    }
    co_return result<void>();
}

async<void> reader::read_marks(draft* draft) const {
    auto question =
        rows_of(presence_marks_table, "at", draft->what.since - reach, draft->what.until);
    do {
        CO_TRY(auto page, co_await page_of(question));
        for (const auto& row : page.rows) {
            CO_TRY(const auto noticed, decode_mark(row));
            draft->said.push_back(said_by(noticed));
        }
        question.after = std::move(page.next);
    } while (!question.after.empty());
    co_return result<void>();
}

async<reader::answer> reader::read(question question) const {
    draft draft{.what = question, .chapters = {}, .said = {}};
    CO_TRY(auto chapters, co_await read_chapters(&draft.what));
    draft.chapters = place(
        bearing_on(std::move(chapters), draft.what.since),
        std::max(clock_.wall(), draft.what.until));
    CO_CHECK_OK(co_await read_beginnings(&draft));
    CO_CHECK_OK(co_await read_changes(&draft));
    CO_CHECK_OK(co_await read_marks(&draft));
    for (const auto& chapter : draft.chapters)
        if (const auto end = end_of(chapter)) draft.said.push_back(*end);
    std::ranges::sort(draft.said);
    presence_timeline whole(draft.what.since);
    for (const auto& each : draft.said)
        if (each.at < draft.what.until) whole.take(each);
    co_return answer{.line = whole.finish(draft.what.until), .until = draft.what.until};
}

}  // namespace muster::presence::history
