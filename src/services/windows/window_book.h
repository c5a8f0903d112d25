#pragma once

#include "core/windows/time_zone.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/windows/window_view.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace muster::windows {

// The calendars, maintenance schedules, assignments and recurring schedules of the cluster:
// followed from the ledger into memory, and changed there. Whoever changes something sees it at
// once; other servers a moment later. Thread-safe but for run().
class window_book {
public:
    struct surroundings {
        ledger& records;
        clock& time;
        zone_source zones;
        runtime::logger& log;
    };

    explicit window_book(surroundings around);
    window_book(const window_book&) = delete;
    window_book& operator=(const window_book&) = delete;

    // Follows the records until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return catch_up(); });
    }

    // Reads what is new now. For whoever needs the newest, and for tests.
    async<void> catch_up();
    // Forgets what is in memory and reads everything.
    async<void> read_anew();

    // As they were a moment ago. Null until all were read once: then nobody knows yet who has a
    // schedule, and nothing that needs a window may start.
    std::shared_ptr<const window_view> current() const;

    const zone_source& zones() const { return around_.zones; }

    // errc::invalid, with the line, when the text is no calendar. Making one that is there is
    // errc::conflict; replacing one that is not is errc::not_found.
    enum class writing { new_one, replacement, either };
    async<void> put_calendar(std::string label, stored_calendar what, writing how, std::string by);
    // What a look at its address gave, if it is still that version of the calendar. False when
    // somebody changed it meanwhile.
    async<bool> note_fetched(
        std::string label, stored_calendar what, std::int64_t version, std::string by);
    // One that is single or multi may be without a calendar: it has no windows until it gets one.
    async<void> put_maintenance(
        std::string name, stored_maintenance what, writing how, std::string by);
    async<void> put_schedule(std::string name, stored_schedule what, writing how, std::string by);
    async<void> put_policy(stored_policy what, std::string by);

    // A calendar that a schedule uses and a schedule that systems have are errc::conflict.
    async<void> remove(record_kind kind, std::string name, std::string by);

    // Gives these systems this maintenance schedule, whatever they had, or none if it is empty. How
    // many had another one before.
    async<std::size_t> assign(std::string schedule, fleet::system_set systems, std::string by);

    // Notes that the runs of a schedule up to `considered` are dealt with. False when somebody else
    // was faster: then the run is theirs. `by` names this server.
    async<bool> note_considered(std::string schedule, wall_time considered, std::string by);

    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

private:
    // Writes the row if its version is still the next one: errc::conflict otherwise.
    async<void> write(std::vector<window_record> rows);
    async<std::shared_ptr<const window_view>> newest();
    void apply(const std::vector<window_record>& rows);
    void apply(const std::vector<window_record>& rows, window_view& to);
    async<void> put(
        record_kind kind, std::string name, std::string document, writing how, std::string by);
    async<std::size_t> assign_part(std::string schedule, fleet::system_set systems, std::string by);
    window_record next_row(
        const window_view& now, record_kind kind, std::string name, std::string by) const;

    surroundings around_;
    mutable std::mutex guard_;
    std::shared_ptr<const window_view> current_;
    std::shared_ptr<const window_view> reading_ = std::make_shared<window_view>();
    runtime::table_follower<window_record> rows_;
};

}  // namespace muster::windows
