#include "services/retention/archive_progress.h"

#include "core/table/row_reader.h"

#include <utility>

namespace muster::retention {

table::row encode_note(const archive_progress& note) {
    return {
        note.what.from,
        note.what.part,
        note.what.made,
        note.server,
        note.mark.jobs,
        note.mark.tasks,
        note.mark.events,
        note.mark.payloads,
        note.mark.payloads_print,
        archive::encode(note.what)};
}

result<archive_progress> decode_note(const table::row& cells) {
    table::row_reader in("archives", cells);
    archive_progress read;
    in.take<wall_time>("starts");
    in.take<std::int64_t>("part");
    in.take<wall_time>("made");
    read.server = in.take<std::string>("server");
    read.mark.jobs = in.take<std::int64_t>("jobs");
    read.mark.tasks = in.take<std::int64_t>("tasks");
    read.mark.events = in.take<std::int64_t>("events");
    read.mark.payloads = in.take<std::int64_t>("payloads");
    read.mark.payloads_print = in.take<std::int64_t>("payloads_print");
    const auto manifest = in.take<std::string>("manifest");
    CHECK_OK(in.finish());
    TRY(read.what, archive::decode_manifest(manifest));
    return read;
}

}  // namespace muster::retention
