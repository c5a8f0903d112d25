#include "adapters/ledger/postgres/shutdown_signal.h"

#include "base/assert.h"

#include <sys/eventfd.h>

#include <poll.h>
#include <unistd.h>

namespace muster::ledger_postgres {

shutdown_signal::shutdown_signal() : descriptor_(::eventfd(0, EFD_CLOEXEC)) {
    MUSTER_ASSERT(descriptor_ >= 0);
}

shutdown_signal::~shutdown_signal() {
    ::close(descriptor_);
}

void shutdown_signal::give() {
    ::eventfd_write(descriptor_, 1);
}

bool shutdown_signal::given(std::chrono::milliseconds within) const {
    pollfd source{};
    source.fd = descriptor_;
    source.events = POLLIN;
    return ::poll(&source, 1, static_cast<int>(within.count())) > 0;
}

}  // namespace muster::ledger_postgres
