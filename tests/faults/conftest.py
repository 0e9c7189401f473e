"""What fails in the helpers of these tests is shown with its values."""

import pytest

pytest.register_assert_rewrite("faults.killing", "faults.sessions")
