#pragma once

#include "ports/clock.h"
#include "roles/node/dispatch/window_source.h"
#include "services/jobs/duration_reader.h"
#include "services/windows/window_store.h"

namespace muster::dispatch {

// Maintenance windows from the window store, and durations from the ledger.
class stored_windows final : public window_source {
public:
    struct dependencies {
        const windows::window_store& windows;
        jobs::duration_reader& durations;
        muster::clock& clock;
    };

    explicit stored_windows(dependencies deps) : deps_(deps) {}

    windows::window_admission check(
        const fleet::system_set& systems, const measured_duration& expected) override;
    async<measured_duration> measure(job_spec work) override;

private:
    dependencies deps_;
};

}  // namespace muster::dispatch
