package dev.howdah.kotlin

import dev.howdah.spi.TypeReference
import java.lang.reflect.ParameterizedType
import java.lang.reflect.Type

/** A reified type as the library knows it; made by the calls of this module. */
@PublishedApi
internal abstract class TypeToken<T> {
    private val type: Type = (javaClass.genericSuperclass as ParameterizedType).actualTypeArguments[0]

    /** The class, if the type is one: some codecs read classes only. */
    @Suppress("UNCHECKED_CAST") // the class of T
    fun plain(): Class<Any>? = type as? Class<Any>

    @Suppress("UNCHECKED_CAST") // of the type T
    fun reference(): TypeReference<Any> = TypeReference.of(type) as TypeReference<Any>
}
