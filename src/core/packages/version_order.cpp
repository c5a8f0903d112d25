#include "core/packages/version_order.h"

#include "base/assert.h"
#include "core/packages/libsolv.h"

#include <memory>
#include <string>

namespace muster::packages {
namespace {

struct pool_end {
    void operator()(Pool* held) const { pool_free(held); }
};
using owned_pool = std::unique_ptr<Pool, pool_end>;

// libsolv knows whose rules apply from the pool; comparing changes nothing in it.
owned_pool pool_of(int rules) {
    owned_pool result(pool_create());
    // -1: a library that was built for one family only, which Debian's is not.
    MUSTER_ASSERT(pool_setdisttype(result.get(), rules) >= 0);
    return result;
}

const Pool* rules_of(family kind) {
    static const owned_pool rpm = pool_of(DISTTYPE_RPM);
    static const owned_pool deb = pool_of(DISTTYPE_DEB);
    return kind == family::rpm ? rpm.get() : deb.get();
}

// With an epoch always, because without one a colon in a version would be taken for its end.
std::string text_of(const edition& edition) {
    return edition.epoch.empty() ? "0:" + to_string(edition) : to_string(edition);
}

}  // namespace

std::weak_ordering compare(family kind, const edition& one, const edition& other) {
    if (one == other) return std::weak_ordering::equivalent;
    const auto order = pool_evrcmp_str(
        rules_of(kind), text_of(one).c_str(), text_of(other).c_str(), EVRCMP_COMPARE);
    return order <=> 0;
}

}  // namespace muster::packages
