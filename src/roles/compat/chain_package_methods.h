#pragma once

#include "roles/compat/chain_methods.h"
#include "roles/compat/content_view.h"
#include "roles/compat/method_book.h"

#include <string>

namespace muster::compat {

// actionchain.addPackage…: packages are installed, removed and upgraded as a step of a chain.
class chain_package_methods {
public:
    chain_package_methods(const content_view& view, const chain_methods& chains)
        : view_(view), chains_(chains) {}

    result<void> declare(method_book& to);

private:
    async<answer> install(call asked);
    async<answer> remove(call asked);
    async<answer> upgrade(call asked);
    async<answer> add(call asked, std::string action) const;

    const content_view& view_;
    const chain_methods& chains_;
};

}  // namespace muster::compat
