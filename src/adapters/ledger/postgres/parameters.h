#pragma once

#include "adapters/ledger/postgres/hosts.h"
#include "adapters/ledger/postgres/settings.h"
#include "core/table/value.h"

#include <string>
#include <vector>

namespace muster::ledger_postgres {

// The cells of a statement in the four arrays that libpq expects.
class bound_parameters {
public:
    explicit bound_parameters(const table::row& cells);

    int count() const { return static_cast<int>(values_.size()); }
    const unsigned int* types() const { return types_.data(); }
    const char* const* values() const { return values_.data(); }
    const int* lengths() const { return lengths_.data(); }
    const int* formats() const { return formats_.data(); }

private:
    std::vector<std::string> bytes_;
    std::vector<unsigned int> types_;
    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
};

// The connection parameters for libpq: address, password from its file, TLS, and timeouts that keep
// the session of a lost client from holding locks.
class connect_parameters {
public:
    // `host` is one of the hosts of the settings' address.
    static result<connect_parameters> create(const settings& settings, const host_address& host);

    const char* const* names() const { return name_pointers_.data(); }
    const char* const* values() const { return value_pointers_.data(); }

private:
    void add(std::string name, std::string value);
    void set_pointers();

    std::vector<std::string> names_;
    std::vector<std::string> values_;
    std::vector<const char*> name_pointers_;
    std::vector<const char*> value_pointers_;
};

}  // namespace muster::ledger_postgres
