#pragma once

#include "ports/clock.h"
#include "services/content/library.h"
#include "services/content/package_sets.h"
#include "services/fleet/search.h"
#include "runtime/log.h"

namespace muster::content {

// Once a day forgets the lists of packages that no system and no profile has any more. Any server
// that knows the systems' facts may do it, and several at once do no harm.
class set_sweeper {
public:
    struct surroundings {
        package_sets& sets;
        library& books;
        const fleet::search& found;
        clock& time;
        runtime::logger& log;
    };

    explicit set_sweeper(surroundings around) : around_(around) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // errc::unavailable while the facts are still being read.
    async<std::size_t> sweep();

private:
    surroundings around_;
};

}  // namespace muster::content
