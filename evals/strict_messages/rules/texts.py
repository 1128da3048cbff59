"""The error texts, as near to the real service's as is known."""

TEXTS = {
    # parameters
    "required": "{path}: Field required",
    "unknown_field": "{path}: Extra inputs are not permitted",
    "not_streamed": "stream: this stand-in for the service only streams",
    "max_tokens_low": "max_tokens: Input should be greater than or equal to 1",
    "max_tokens_high": (
        "max_tokens: {given} > {limit}, which is the maximum allowed number of output tokens for {model}"
    ),
    "sampling": "`{name}` is deprecated for this model.",
    "tool_choice_forced": "tool_choice.type: '{given}' is not supported for this model; use 'auto' or 'none'.",
    "thinking_type": (
        '"thinking.type.{given}" is not supported for this model. Use "thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.'
    ),
    "thinking_budget": "thinking.enabled.budget_tokens: Input should be at least 1024 and below max_tokens",
    "thinking_display": "thinking.adaptive.display: Input should be 'summarized' or 'omitted'",
    "thinking_with_effort": "thinking.type: 'disabled' is not supported with output_config.effort '{given}'",
    "effort": "output_config.effort: '{given}' is not supported for this model",
    "prompt_too_long": "prompt is too long: {tokens} tokens > {limit} maximum",
    # shape of messages
    "no_messages": "messages: at least one message is required",
    "role": "messages.{i}.role: Input should be 'user', 'assistant' or 'system'",
    "first_role": 'messages: first message must use the "user" role',
    "prefill": (
        "This model does not support assistant message prefill. The conversation must end with a user message."
    ),
    "empty_message": "messages.{i}: all messages must have non-empty content",
    "content_type": "{path}: Input should be a valid string or list of blocks with a type",
    "block_type": "{path}: Input tag '{given}' found using 'type' does not match any of the expected tags",
    "block_role": "{path}: `{given}` blocks can only be in `{role}` messages",
    "field_type": "{path}: Input should be a valid {wanted}",
    "empty_text": "{path}: text content blocks must be non-empty",
    "blank_text": "{path}: text content blocks must contain non-whitespace text",
    "final_thinking": "messages.{i}: The final block in an assistant message cannot be `thinking`.",
    "empty_error": "{path}.tool_result: content cannot be empty if `is_error` is true",
    "call_id": "{path}.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    "user_citations": "{path}.text.citations: citations can only be set in `assistant` messages",
    # calls and results
    "not_answered": (
        "messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    ),
    "not_called": (
        "messages.{i}.content.{j}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    ),
    "answered_twice": (
        "messages.{i}.content.{j}: each tool_use must have a single result. "
        "Found multiple `tool_result` blocks with id: {id}"
    ),
    "not_served": (
        "messages.{i}: `{name}` tool use with id `{id}` was found without a corresponding `{name}_tool_result` block"
    ),
    "called_twice": "messages.{i}.content.{j}: `tool_use` ids must be unique",
    # tools
    "tool_name": "{path}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'",
    "tool_twice": "tools: Tool names must be unique.",
    "schema_type": "{path}.custom.input_schema.type: Input should be 'object'",
    "schema_union": "{path}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    "all_deferred": "At least one tool must have defer_loading=false. All tools cannot be deferred.",
    "too_many_deferred": "tools: at most 10000 tools can be deferred. Found {found}.",
    "reference": "{path}: Tool reference '{name}' not found in available tools",
    "reference_mixed": "{path}: `tool_reference` blocks cannot be mixed with other content",
    # cache marks
    "too_many_marks": "A maximum of 4 blocks with cache_control may be provided. Found {found}.",
    "automatic_ttl": "cache_control.ttl: the last cacheable block already has a ttl of '{given}'",
    "mark_shape": "{path}.cache_control: Input should be {{'type': 'ephemeral'}} with a ttl of '5m' or '1h'",
    "mark_order": (
        "{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control "
        "block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."
    ),
    "mark_deferred": (
        "Tool '{name}' cannot have both defer_loading=true and cache_control set. "
        "Tools with defer_loading cannot use prompt caching."
    ),
    "mark_thinking": "{path}.cache_control: `thinking` blocks cannot be marked",
    "mark_empty": "{path}.cache_control: cache_control cannot be set for empty text blocks",
    # thinking
    "signature": "{path}: Invalid `signature` in `thinking` block",
    "bound": (
        "{path}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
        'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    ),
    "modified": (
        "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
        "These blocks must remain as they were in the original response."
    ),
}


def text(key: str, **values: object) -> str:
    """Return the error text of a rule."""
    return TEXTS[key].format(**values)
