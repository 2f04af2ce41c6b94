// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_VIEWS_HPP
#define KOKKOS_SYMMETRICSPACE_VIEWS_HPP

/// Views of other PEs' memory (peer_view, global_view, remote_view, places,
/// heap_map), functions that register or share the program's own Views
/// (register_view and related functions, share_view), and UnevenView.

#include <Kokkos_SymmetricSpace_Space.hpp>

#include "places/Places.hpp"
#include "view/GlobalView.hpp"
#include "view/PeerView.hpp"
#include "view/RegisteredView.hpp"
#include "view/RemoteView.hpp"
#include "view/SharedView.hpp"
#include "view/UnevenView.hpp"

#endif
