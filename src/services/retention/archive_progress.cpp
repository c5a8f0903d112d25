#include "services/retention/archive_progress.h"

#include "core/table/row_reader.h"

#include <utility>

namespace muster::retention {

table::row encode_progress(const archive_progress& progress) {
    return {
        progress.manifest.from,
        progress.manifest.part,
        progress.manifest.created,
        progress.server,
        progress.mark.jobs,
        progress.mark.tasks,
        progress.mark.events,
        progress.mark.payloads,
        progress.mark.payloads_print,
        archive::encode(progress.manifest)};
}

result<archive_progress> decode_progress(const table::row& row) {
    table::row_reader reader("archives", row);
    archive_progress progress;
    reader.take<wall_time>("starts");
    reader.take<std::int64_t>("part");
    reader.take<wall_time>("made");
    progress.server = reader.take<std::string>("server");
    progress.mark.jobs = reader.take<std::int64_t>("jobs");
    progress.mark.tasks = reader.take<std::int64_t>("tasks");
    progress.mark.events = reader.take<std::int64_t>("events");
    progress.mark.payloads = reader.take<std::int64_t>("payloads");
    progress.mark.payloads_print = reader.take<std::int64_t>("payloads_print");
    const auto document = reader.take<std::string>("manifest");
    CHECK_OK(reader.finish());
    TRY(progress.manifest, archive::decode_manifest(document));
    return progress;
}

}  // namespace muster::retention
