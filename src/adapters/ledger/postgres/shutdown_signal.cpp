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

void shutdown_signal::send() {
    ::eventfd_write(descriptor_, 1);
}

bool shutdown_signal::is_set(std::chrono::milliseconds timeout) const {
    pollfd source{};
    source.fd = descriptor_;
    source.events = POLLIN;
    return ::poll(&source, 1, static_cast<int>(timeout.count())) > 0;
}

}  // namespace muster::ledger_postgres
