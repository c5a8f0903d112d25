#include "base/prng.h"
#include "core/presence/presence_recorder.h"
#include "core/presence/presence_timeline.h"
#include "core/presence/timeline_input.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>

// Lines that are read back from what nodes wrote down, against what really was.
using namespace muster;
using namespace muster::presence;
using namespace muster::presence::history;
using namespace std::chrono_literals;
using session::reason;

namespace {

const wall_time noon(1'800'014'400s);

constexpr std::size_t nodes_count = 3;
constexpr std::size_t systems_count = 3;
constexpr int seconds_count = 2'000;
constexpr std::size_t queue_max = 3;

struct written {
    std::map<std::pair<node_number, wall_time>, report_period> chapters;
    std::map<std::pair<node_number, wall_time>, fleet::system_set> present;
    std::map<std::pair<node_number, wall_time>, fleet::system_set> changed;
    std::vector<change> changes;
    std::vector<missing_mark> marks;

    void take(const presence_recorder::interval_record& page) {
        const std::pair key(page.period.node, page.period.opened);
        chapters[key] = page.period;
        if (page.present) present[key] = *page.present;
        if (page.changed) changed[key] = *page.changed;
        for (const auto& change : page.changes) changes.push_back(change);
    }
};

// Some nodes and systems over half an hour, second by second, with what really was.
class half_an_hour {
public:
    explicit half_an_hour(std::uint64_t seed) : random_(seed) {
        for (std::size_t node = 0; node < nodes_count; ++node) start(node, 0);
        for (int now = 1; now < seconds_count; ++now) live_through(now);
    }

    written record;
    // Which node each system was attached to at the end of each second; zero: none.
    std::array<std::array<std::size_t, seconds_count>, systems_count> truth{};
    // Whom each node believed to be attached to it.
    std::array<std::array<std::array<bool, seconds_count>, systems_count>, nodes_count> believed{};
    // Whether the record knows of a node at the end of each second: told by its pages alone.
    bool covered(std::size_t node, int second) const {
        const auto moment = time_of(second) + 500ms;
        return std::ranges::any_of(record.chapters, [&](const auto& period) {
            const auto& [key, what] = period;
            return what.node == number_of(node) && what.opened <= moment && moment < what.until;
        });
    }
    bool known_gone(std::size_t node, int second) const { return gone_.contains({node, second}); }
    static wall_time time_of(int second) { return noon + std::chrono::seconds(second); }
    static node_number number_of(std::size_t node) {
        return node_number(static_cast<std::int64_t>(node) + 1);
    }

private:
    struct node_state {
        std::unique_ptr<presence_recorder> kept;  // none: it is down
        std::deque<presence_recorder::interval_record> waiting;
        bool ledger_away = false;
        std::map<std::size_t, int> leaves_at;  // systems that went elsewhere without a word
        bool noticed = true;                   // while it is down: that it is
        std::int64_t starts = 0;
    };

    static seconds second_of(int second) { return to_seconds(time_of(second)); }
    static system_number system_of(std::size_t system) {
        return system_number(static_cast<std::int64_t>(system) + 1);
    }

    void start(std::size_t index, int now) {
        auto& node = nodes_[index];
        node.kept = std::make_unique<presence_recorder>(
            presence_recorder::options{
                .node = number_of(index), .start = ++node.starts, .period = 300s},
            time_of(now));
        node.waiting.clear();
        node.leaves_at.clear();
        // A node starts only with a ledger, and its start is recorded at once.
        node.ledger_away = false;
        record.take(node.kept->end_interval(time_of(now)));
    }

    void go(std::size_t index, std::size_t system, reason why, int now) {
        const detach_event departure{.system = system_of(system), .why = why, .at = second_of(now)};
        nodes_[index].kept->record({}, std::span(&departure, 1));
        if (at_[system] == index + 1) at_[system] = 0;
    }

    void come(std::size_t index, std::size_t system, int now) {
        const auto before = at_[system];
        if (before != 0 && before != index + 1)
            nodes_[before - 1].leaves_at[system] = now + 1 + static_cast<int>(random_.below(20));
        const attach_event arrival{
            .system = system_of(system), .address = {}, .since = second_of(now)};
        nodes_[index].kept->record(std::span(&arrival, 1), {});
        nodes_[index].leaves_at.erase(system);
        at_[system] = index + 1;
    }

    void stop(std::size_t index, int now) {
        auto& node = nodes_[index];
        for (std::size_t system = 0; system < systems_count; ++system)
            if (at_[system] == index + 1) go(index, system, reason::stopping, now);
        if (node.ledger_away) return kill(index);
        while (!node.waiting.empty()) write_one(node);
        record.take(node.kept->stop(time_of(now)));
        node.kept.reset();
        node.noticed = true;
    }

    void kill(std::size_t index) {
        for (auto& node : at_)
            if (node == index + 1) node = 0;
        nodes_[index].kept.reset();
        nodes_[index].noticed = false;
    }

    void write_one(node_state& node) {
        record.take(node.waiting.front());
        node.waiting.pop_front();
    }

    void end_turn(std::size_t index, int now) {
        auto& node = nodes_[index];
        if (!node.kept || now % 15 != 0) return;
        if (node.waiting.size() >= queue_max) {
            node.kept->skip(time_of(now));
        } else {
            node.waiting.push_back(node.kept->end_interval(time_of(now)));
        }
        while (!node.ledger_away && !node.waiting.empty()) write_one(node);
    }

    void node_record_reconciler(std::size_t index, int now) {
        auto& node = nodes_[index];
        if (random_.chance(10)) node.ledger_away = !node.ledger_away && random_.chance(400);
        if (!node.kept) {
            if (!node.noticed && random_.chance(60)) {
                node.noticed = true;
                record.marks.push_back({.node = number_of(index), .at = time_of(now)});
            }
            if (random_.chance(30)) start(index, now);
            return;
        }
        for (auto leaving = node.leaves_at.begin(); leaving != node.leaves_at.end();) {
            const auto [system, when] = *leaving;
            ++leaving;
            if (when > now) continue;
            node.leaves_at.erase(system);
            if (at_[system] != index + 1) go(index, system, reason::silent, now);
        }
        if (random_.chance(3)) return kill(index);
        if (random_.chance(2)) stop(index, now);
    }

    void system_life(std::size_t system, int now) {
        if (!random_.chance(25)) return;
        const auto which = random_.below(nodes_count);
        if (at_[system] != 0 && random_.chance(600)) {
            go(at_[system] - 1, system, reason::closed, now);
        } else if (nodes_[which].kept) {
            come(which, system, now);
        }
    }

    void live_through(int now) {
        for (std::size_t node = 0; node < nodes_count; ++node) node_record_reconciler(node, now);
        for (std::size_t system = 0; system < systems_count; ++system) system_life(system, now);
        for (std::size_t node = 0; node < nodes_count; ++node) {
            end_turn(node, now);
            if (!nodes_[node].kept && nodes_[node].noticed) gone_.insert({node, now});
        }
        for (std::size_t system = 0; system < systems_count; ++system) {
            const auto second = static_cast<std::size_t>(now);
            truth[system][second] = at_[system];
            for (std::size_t node = 0; node < nodes_count; ++node)
                believed[node][system][second] =
                    nodes_[node].kept && nodes_[node].kept->attached().contains(system_of(system));
        }
    }

    prng random_;
    std::array<node_state, nodes_count> nodes_;
    std::array<std::size_t, systems_count> at_{};
    std::set<std::pair<std::size_t, int>> gone_;
};

// Longer than it takes any node here to notice that a system left.
constexpr auto unnoticed = 30s;

enum class reading { everything, by_chapters };

struct read_result {
    std::vector<segment> told;
    std::set<wall_time> begins;  // when nodes' records began, as they were read
};

read_result read_line(const written& record, system_number system, wall_time since, reading how) {
    std::vector<report_period> chapters;
    for (const auto& [key, period] : record.chapters) chapters.push_back(period);
    const auto end = half_an_hour::time_of(seconds_count);
    read_result result;
    std::vector<statement> statements;
    for (const auto& period : order_periods(periods_since(chapters, since), end + 1h)) {
        const std::pair key(period.period.node, period.period.opened);
        if (period.starts) {
            statements.push_back(start_statement(period, record.present.at(key).contains(system)));
            result.begins.insert(period.period.opened);
        }
        if (const auto last = end_statement(period)) statements.push_back(*last);
        const auto changed = record.changed.find(key);
        if (how == reading::by_chapters && changed != record.changed.end()
            && !changed->second.contains(system))
            continue;
        for (const auto& change : record.changes)
            if (change.node == period.period.node && change.at > period.period.opened
                && change.at <= period.period.until && change.systems.contains(system))
                statements.push_back(to_statement(change, system, period.period.opened));
    }
    for (const auto& mark : record.marks) statements.push_back(to_statement(mark));
    std::ranges::sort(statements);
    presence_timeline drawn(since, unnoticed);
    for (const auto& statement : statements) drawn.add(statement);
    result.told = drawn.finish(end);
    return result;
}

void compare(const half_an_hour& lived, std::size_t system, int first, const read_result& read) {
    auto at = read.told.begin();
    for (int second = first; second < seconds_count; ++second) {
        const auto moment = half_an_hour::time_of(second) + 500ms;
        while (at->until <= moment) ++at;
        const auto index = static_cast<std::size_t>(second);
        const auto really = lived.truth[system][index];
        bool all_known = true;
        for (std::size_t node = 0; node < nodes_count; ++node)
            all_known =
                all_known && (lived.covered(node, second) || lived.known_gone(node, second));
        const auto begun = read.begins.upper_bound(moment - unnoticed);
        const bool settled = begun == read.begins.end() || *begun > moment;
        CAPTURE(system);
        CAPTURE(second);
        if (at->state == attachment_state::attached) {
            const auto node = static_cast<std::size_t>(at->node.value() - 1);
            REQUIRE(lived.believed[node][system][index]);
        }
        if (at->state == attachment_state::away) REQUIRE(really == 0);
        if (at->state == attachment_state::unknown && settled) REQUIRE_FALSE(all_known);
        if (really != 0 && settled && lived.covered(really - 1, second)) {
            REQUIRE(at->state == attachment_state::attached);
            REQUIRE(at->node.value() == static_cast<std::int64_t>(really));
        }
    }
}

}  // namespace

TEST_CASE("a line never says what was not, and is unknown only where a node's word is missing") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const half_an_hour lived(seed);
        prng random(seed);
        for (std::size_t system = 0; system < systems_count; ++system) {
            const system_number number(static_cast<std::int64_t>(system) + 1);
            for (const int first : {1, 1 + static_cast<int>(random.below(seconds_count - 2))}) {
                CAPTURE(first);
                const auto since = half_an_hour::time_of(first);
                const auto read = read_line(lived.record, number, since, reading::everything);
                CHECK(
                    read.told == read_line(lived.record, number, since, reading::by_chapters).told);
                REQUIRE(read.told.front().from == since);
                for (std::size_t at = 1; at < read.told.size(); ++at)
                    REQUIRE(read.told[at].from == read.told[at - 1].until);
                compare(lived, system, first, read);
            }
        }
    }
}
