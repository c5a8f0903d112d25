#pragma once

#include <array>
#include <string_view>

// The kinds of events. A kind is a noun and a past participle; `noun.*` matches all kinds of a
// noun. The names are part of the API: add, never rename.
namespace muster::events::kind {

inline constexpr std::string_view job_made = "job.made";
inline constexpr std::string_view job_paused = "job.paused";
inline constexpr std::string_view job_resumed = "job.resumed";
inline constexpr std::string_view job_phase = "job.phase";  // parents or canaries are through
inline constexpr std::string_view job_cancelling = "job.cancelling";
inline constexpr std::string_view job_cancelled = "job.cancelled";
inline constexpr std::string_view job_halted = "job.halted";
inline constexpr std::string_view job_expired = "job.expired";
inline constexpr std::string_view job_done = "job.done";
inline constexpr std::string_view job_changed = "job.changed";  // in another way

inline constexpr std::string_view system_accepted = "system.accepted";
inline constexpr std::string_view system_rejected = "system.rejected";
inline constexpr std::string_view system_deleted = "system.deleted";
inline constexpr std::string_view system_unregistered = "system.unregistered";
inline constexpr std::string_view system_moved = "system.moved";

inline constexpr std::string_view node_pooled = "node.pooled";
inline constexpr std::string_view node_staged = "node.staged";
inline constexpr std::string_view node_serving = "node.serving";
inline constexpr std::string_view node_offline = "node.offline";
inline constexpr std::string_view node_suspect = "node.suspect";
inline constexpr std::string_view node_faulty = "node.faulty";
inline constexpr std::string_view node_drifted = "node.drifted";  // holds other common data
inline constexpr std::string_view node_healed = "node.healed";
inline constexpr std::string_view zone_held = "zone.held";

inline constexpr std::string_view edit_began = "edit.began";
inline constexpr std::string_view edit_drafted = "edit.drafted";
inline constexpr std::string_view edit_ended = "edit.ended";
inline constexpr std::string_view leader_elected = "leader.elected";
inline constexpr std::string_view leader_demoted = "leader.demoted";
inline constexpr std::string_view revision_published = "revision.published";

inline constexpr std::string_view window_overrun = "window.overrun";
inline constexpr std::string_view window_changed = "window.changed";
inline constexpr std::string_view window_removed = "window.removed";
inline constexpr std::string_view calendar_changed = "calendar.changed";
inline constexpr std::string_view calendar_removed = "calendar.removed";
inline constexpr std::string_view schedule_ran = "schedule.ran";
inline constexpr std::string_view schedule_skipped = "schedule.skipped";
inline constexpr std::string_view schedule_missed = "schedule.missed";

inline constexpr std::array all{
    job_made,         job_changed,      job_paused,        job_resumed,         job_phase,
    job_cancelling,   job_cancelled,    job_halted,        job_expired,         job_done,
    system_accepted,  system_rejected,  system_deleted,    system_unregistered, system_moved,
    node_pooled,      node_staged,      node_serving,      node_offline,        node_suspect,
    node_faulty,      zone_held,        window_overrun,    window_changed,      window_removed,
    calendar_changed, calendar_removed, schedule_ran,      schedule_skipped,    schedule_missed,
    node_drifted,     node_healed,      edit_began,        edit_drafted,        edit_ended,
    leader_elected,   leader_demoted,   revision_published};

// A task that ended, read from the task's own row.
inline constexpr std::string_view task_return = "return";

}  // namespace muster::events::kind
