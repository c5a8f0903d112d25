#pragma once

#include "adapters/archive/archive_store.h"
#include "core/jobs/retention.h"
#include "core/table/schema.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/retention/archive_progress.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::retention {

// The tables of jobs, in the order in which they are archived and dropped. The rows of `jobs` go
// last of all: while there is one, its span is still to be dropped.
const std::vector<std::string>& tables_by_span();

// Copies a span of the record into files, part by part (docs/retention.md): the first has all of
// it, and what is written to the span afterwards makes another one. A part is never written again,
// because what the ledger has by then may be less. Which parts there are is on record in the
// ledger. Lives on one strand, but for the counter.
class job_archive {
public:
    struct dependencies {
        muster::ledger& ledger;
        archive::archive_store& files;
        muster::clock& clock;
        std::string server;    // whose directory it is
        table::schema schema;  // of the ledger
    };

    explicit job_archive(dependencies deps) : deps_(std::move(deps)) {}

    // Afterwards all of the span, and what is there of older ones, is in files, whatever was
    // interrupted before: here, or where another server wrote them. Gives how far.
    // errc::conflict when another server was faster: try again.
    async<archive_mark> keep(jobs::record_span span);

    // errc::conflict when a table has rows of the span that the mark does not cover: they came
    // after it was archived.
    async<void> confirm(std::string table, jobs::record_span span, archive_mark mark);

    std::uint64_t rows() const { return rows_; }

private:
    result<table::definition> definition_of(const std::string& table) const;
    async<std::vector<archive_progress>> read_notes(wall_time from);
    async<void> write_note(archive_progress note);
    async<void> adopt_unnoted(jobs::record_span span, std::vector<archive_progress>* noted);
    async<archive_mark> measure(jobs::record_span span);
    async<void> measure_payloads(jobs::record_span span, archive_mark* into);
    async<bool> has_behind(std::string table, jobs::record_span span, std::int64_t sequence);
    async<std::vector<std::string>> changed_tables(jobs::record_span span, archive_mark mark);
    async<archive::archived_file> copy(
        archive::archive_store::place into, jobs::record_span span, archive_mark behind);

    dependencies deps_;
    std::atomic<std::uint64_t> rows_ = 0;
};

}  // namespace muster::retention
