#include "services/bootstrap/first_password_remover.h"

#include "services/bootstrap/cluster_bootstrap.h"

#include <system_error>

namespace muster::bootstrap {

void first_password_remover::password_changed(const std::string& user) {
    if (user != first_user) return;
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
}

}  // namespace muster::bootstrap
