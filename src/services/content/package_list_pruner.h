#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/content/content_store.h"
#include "services/content/package_sets.h"
#include "services/fleet/search.h"

namespace muster::content {

// Once a day forgets the lists of packages that no system and no profile has any more. Any server
// that knows the systems' facts may do it, and several at once do no harm.
class package_list_pruner {
public:
    struct dependencies {
        package_sets& sets;
        content_store& content;
        const fleet::search& search;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit package_list_pruner(dependencies deps) : deps_(deps) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // errc::unavailable while the facts are still being read.
    async<std::size_t> sweep();

private:
    dependencies deps_;
};

}  // namespace muster::content
