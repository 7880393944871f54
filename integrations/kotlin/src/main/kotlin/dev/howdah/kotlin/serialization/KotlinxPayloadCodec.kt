package dev.howdah.kotlin.serialization

import dev.howdah.spi.PayloadCodec
import dev.howdah.spi.PayloadCodec.Subject
import dev.howdah.spi.TypeReference
import java.lang.reflect.Type
import kotlinx.serialization.KSerializer
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.serializer

/**
 * Payloads, results and steps by kotlinx.serialization: sealed, generic and value classes, and what the serializers module of [json] adds. A class without a
 * serializer is refused when a node starts, and where a job is added.
 *
 * @param json by default one that passes over fields which a class no longer has
 */
public class KotlinxPayloadCodec(private val json: Json = Json { ignoreUnknownKeys = true }) : PayloadCodec {
    override fun encode(payload: Any): String = write(payload, payload.javaClass)

    override fun encode(payload: Any, type: Type, subject: Subject): String = write(payload, type)

    override fun <T : Any> decode(json: String, type: Class<T>): T = read(json, type)

    override fun <T : Any> decode(json: String, type: TypeReference<T>): T = read(json, type.type())

    override fun prepare(type: Type) {
        serializer(type)
    }

    private fun serializer(type: Type): KSerializer<Any> =
        try {
            json.serializersModule.serializer(type)
        } catch (e: SerializationException) {
            throw IllegalArgumentException("${type.typeName} has no serializer: mark it with @Serializable, or have a serializers module name it", e)
        }

    private fun write(payload: Any, type: Type): String = json.encodeToString(serializer(type), payload)

    @Suppress("UNCHECKED_CAST") // the serializer is that of the type
    private fun <T> read(text: String, type: Type): T =
        try {
            json.decodeFromString(serializer(type), text) as T
        } catch (e: SerializationException) {
            throw IllegalArgumentException("its payload is no ${type.typeName}: ${e.message}", e)
        }
}
